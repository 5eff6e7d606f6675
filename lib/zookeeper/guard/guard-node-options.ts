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

/** How a process connects: certificates, TLS and names of hosts. */
const CONNECTING =
  /^--(?:use-(?:openssl|bundled|system)-ca|tls-(?:min|max)-v|tls-cipher-list|openssl-|(?:enable|force)-fips|dns-result-order)/;
const WITH_VALUE = new Set(['--tls-cipher-list', '--openssl-config', '--dns-result-order']);

/** Of the arguments that Node was started with, those without which a guard could not connect as its parent does. */
export function guardArguments(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((argument, index) => {
    if (!CONNECTING.test(argument)) return [];
    return WITH_VALUE.has(argument) ? execArgv.slice(index, index + 2) : [argument];
  });
}
