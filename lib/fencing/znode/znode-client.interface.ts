/** The part of a transaction of node-zookeeper-client that `commitFenced` uses. @publicApi */
export interface ZnodeTransaction {
  create(path: string, data: Buffer): unknown;
  setData(path: string, data: Buffer, version?: number): unknown;
  check(path: string, version: number): unknown;
  commit(callback: (error: unknown, results: unknown) => void): void;
}

/** The part of a client of node-zookeeper-client that `commitFenced` uses. @publicApi */
export interface ZnodeClient<Transaction extends ZnodeTransaction> {
  getData(
    path: string,
    callback: (error: unknown, data: Buffer | undefined, stat: { readonly version: number }) => void,
  ): void;
  transaction(): Transaction;
}

/** The code of ZooKeeper in an error of the client; 0 without one. */
export function codeOf(error: unknown): number {
  return (error as { readonly code?: number } | null | undefined)?.code ?? 0;
}
