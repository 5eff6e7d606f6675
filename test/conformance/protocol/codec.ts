import { JuteWriter, type JuteReader } from '../../support/jute.js';
import { operationName } from '../../support/zookeeper-operations.js';
import { ZooKeeperError } from '../../../lib/zookeeper/client/zookeeper-error.js';
import type { Call } from './calls.js';
import { readBool } from './field-kinds.js';
import { LAYOUTS, NOTIFICATION, RESULTS } from './layouts.js';
import type { Names } from './names.js';

const ERROR_RESULT = -1;
const INDENT = '\n        ';

/** The frame of a request. */
export function encode(call: Call, xid: number, names: Names): Buffer {
  const writer = new JuteWriter().int(xid).int(call.code);
  writeBody(writer, call, names);
  return writer.frame();
}

export function showCall(call: Call, xid: number, names: Names): string {
  return `${operationName(call.code)}(${xid})${showFields(call, names)}`;
}

function showFields(call: Call, names: Names): string {
  const fields = LAYOUTS[operationName(call.code)]?.request.show(call.values, names) ?? '';
  const tail = call.tail ? ` tail=${shortenedHex(call.tail)}` : '';
  const inner =
    call.calls?.map((one) => `${INDENT}${operationName(one.code)}${showFields(one, names)}`) ?? [];
  return ` ${fields}`.trimEnd() + tail + inner.join('');
}

/** Formats a reply with its header for a transcript, including bytes after its end. */
export function showReply(reader: JuteReader, xid: number, code: number | undefined, names: Names): string {
  const operation = code === undefined ? 'nothing that was asked' : operationName(code);
  const zxid = names.zxid(reader.long());
  const error = reader.int();
  const body = reader.remaining === 0 ? '' : showBody(reader, operation, names);
  const gap = body === '' || body.startsWith('\n') ? '' : ' ';
  return `${operation}(${xid}) ${error === 0 ? 'ok' : errorName(error)} zxid=${zxid}${gap}${body}`;
}

export function showNotification(reader: JuteReader, names: Names): string {
  const zxid = names.zxid(reader.long());
  const error = reader.int();
  return `${NOTIFICATION.read(reader, names)} zxid=${zxid} error=${error}${rest(reader)}`;
}

function writeBody(writer: JuteWriter, { code, values, calls, tail = '' }: Call, names: Names): void {
  LAYOUTS[operationName(code)]?.request.write(writer, values, names);
  for (const one of calls ?? []) {
    writer.int(one.code).bool(false).int(-1);
    writeBody(writer, one, names);
  }
  if (calls) writer.int(-1).bool(true).int(-1);
  writer.raw(Buffer.from(tail, 'hex'));
}

function showBody(reader: JuteReader, operation: string, names: Names): string {
  try {
    const body = operation.startsWith('multi')
      ? showResults(reader, names)
      : (LAYOUTS[operation]?.reply.read(reader, names) ?? '');
    return body + rest(reader);
  } catch (error) {
    return `malformed: ${String(error)}`;
  }
}

function showResults(reader: JuteReader, names: Names): string {
  let text = '';
  for (;;) {
    const [code, done, error] = [reader.int(), readBool(reader), reader.int()];
    if (done) return `${text}${INDENT}end code=${code} error=${error}`;
    const kind = code === ERROR_RESULT ? 'error' : operationName(code);
    const result = (RESULTS[kind] ?? LAYOUTS[kind]?.reply)?.read(reader, names) ?? '';
    text += `${INDENT}${kind} header=${error} ${result}`.trimEnd();
  }
}

function rest(reader: JuteReader): string {
  return reader.remaining === 0 ? '' : ` and ${reader.remaining} more bytes`;
}

function errorName(code: number): string {
  return `${ZooKeeperError.fromReply(code).code}(${code})`;
}

function shortenedHex(hex: string): string {
  return hex.length <= 80 ? hex : `${hex.slice(0, 80)}...(${hex.length / 2} bytes)`;
}
