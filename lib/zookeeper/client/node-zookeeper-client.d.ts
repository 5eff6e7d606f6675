/** The files of the client package that its own types leave out. */
declare module 'node-zookeeper-client/lib/jute/index.js' {
  const jute: import('./jute.interface.js').Jute;
  export default jute;
}

declare module 'node-zookeeper-client/lib/Path.js' {
  const paths: { validate(this: void, path: string): void };
  export default paths;
}
