/** By units of UTF-16, as ZooKeeper counts them: controls, surrogates, private use, specials. */
// oxlint-disable-next-line no-control-regex -- these are the characters ZooKeeper refuses
const REFUSED = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

/** The first character of `path` that may stand in the path of no znode, as `U+0007`; undefined if there is none. */
export function refusedCharacter(path: string): string | undefined {
  const [unit] = REFUSED.exec(path) ?? [];
  return unit && `U+${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
