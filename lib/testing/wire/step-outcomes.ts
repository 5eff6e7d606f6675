import { OP } from '../../zookeeper/protocol/op-codes.js';
import type { Stat } from '../../zookeeper/protocol/stat.js';
import type { ReplyWriter } from './reply-writer.js';
import type { ChangeRequest } from './requests.js';

/** The result of one change: what it has changed, or the code of an error. */
export type ChangeOutcome =
  | { readonly op: ChangeRequest['op']; readonly path: string; readonly stat?: Stat }
  | { readonly op: typeof OP.ERROR; readonly code: number };

/** The reply to a transaction: one record per step, and an end record. */
export function writeStepOutcomes(writer: ReplyWriter, outcomes: readonly ChangeOutcome[]): void {
  for (const outcome of outcomes) writeOutcome(writer, outcome);
  writeEndOfSteps(writer);
}

export function writeStepHeader(writer: ReplyWriter, type: number, code = 0): ReplyWriter {
  return writer.int(type).boolean(false).int(code);
}

export function writeStepError(writer: ReplyWriter, code: number): void {
  writeStepHeader(writer, OP.ERROR, code).int(code);
}

export function writeEndOfSteps(writer: ReplyWriter): void {
  writer.int(-1).boolean(true).int(-1);
}

function writeOutcome(writer: ReplyWriter, outcome: ChangeOutcome): void {
  switch (outcome.op) {
    case OP.ERROR:
      return writeStepError(writer, outcome.code);
    case OP.CREATE:
      return void writeStepHeader(writer, OP.CREATE).string(outcome.path);
    case OP.CREATE2:
    case OP.CREATE_CONTAINER:
    case OP.CREATE_TTL:
      // All of these are answered like `create2`.
      return void writeStepHeader(writer, OP.CREATE2).string(outcome.path).stat(outcome.stat!);
    case OP.SET_DATA:
      return void writeStepHeader(writer, OP.SET_DATA).stat(outcome.stat!);
    case OP.DELETE:
    case OP.CHECK:
    case OP.SET_ACL:
      return void writeStepHeader(writer, outcome.op);
  }
}
