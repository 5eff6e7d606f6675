/** A module that is loaded before the program, which may not fit into the small heap. */
const PRELOAD =
  /(?<=^|\s)(?:-r|--require|--import|--(?:experimental-)?loader)(?:=|\s+)(?:"(?:\\.|[^"\\])*"|\S+)/g;
const INSPECTOR = /(?<=^|\s)--inspect\S*/g;

/**
 * What the environment asks of Node, as far as it is for a guard. Two processes cannot have the same port for a debugger, and
 * nobody would let a guard continue.
 */
export function guardNodeOptions(nodeOptions: string | undefined): string {
  return (nodeOptions ?? '').replaceAll(PRELOAD, '').replaceAll(INSPECTOR, '');
}
