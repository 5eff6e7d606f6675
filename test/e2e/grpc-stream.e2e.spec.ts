import { Controller } from '@nestjs/common';
import { GrpcStreamMethod, ServerGrpc } from '@nestjs/microservices';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Observable, filter, from, lastValueFrom, map, merge, toArray, type Subject } from 'rxjs';
import { test } from 'vitest';
import { LockService, Locked } from '../../lib/index.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Controller()
class Chat {
  @GrpcStreamMethod('Chat', 'Below')
  @Locked('chat')
  below(messages$: Observable<string>): Observable<string> {
    return messages$.pipe(map((message) => `re: ${message}`));
  }

  @Locked('chat')
  @GrpcStreamMethod('Chat', 'Above')
  above(messages$: Observable<string>): Observable<string> {
    return messages$.pipe(map((message) => `re: ${message}`));
  }

  @GrpcStreamMethod('Chat', 'Promised')
  @Locked('chat')
  async promised(messages$: Observable<string>): Promise<Observable<string>> {
    return messages$.pipe(map((message) => `re: ${message}`));
  }

  @GrpcStreamMethod('Chat', 'Joined')
  @Locked('chat')
  async joined(messages$: Observable<string>): Promise<string> {
    const messages = await lastValueFrom(messages$.pipe(toArray()));
    return `re: ${messages.join()}`;
  }

  @GrpcStreamMethod('Chat', 'Split')
  @Locked('chat')
  split(messages$: Observable<string>): Observable<string> {
    const late$ = messages$.pipe(filter(isLate));
    const early$ = messages$.pipe(filter((message) => !isLate(message)));
    return merge(late$, early$).pipe(map((message) => `re: ${message}`));
  }
}

const isLate = (message: string): boolean => message === 'late';

interface RequestStream {
  readonly subject: Subject<string>;
  next(message: string): void;
  complete(): void;
}

/** The stream that Nest makes of the messages of a gRPC client. */
function requestStream(): RequestStream {
  const bufferUntilDrained = Reflect.get(ServerGrpc.prototype, 'bufferUntilDrained') as () => RequestStream;
  return bufferUntilDrained();
}

async function start() {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const module = await startModule(options, { controllers: [Chat] });
  return { replica, module };
}

const METHODS = ['below', 'above', 'promised', 'joined', 'split'] as const;
const answersOf = (method: (typeof METHODS)[number]) =>
  method === 'joined' ? ['re: early,late'] : ['re: early', 're: late'];

test.for(METHODS)('a gRPC stream gets all messages of its client (%s)', async (method, { expect }) => {
  const { module, replica } = await start();
  const request = requestStream();
  request.next('early'); // while guards run
  const answers = answersWith(module.get(Chat)[method](request.subject.asObservable()));
  await nextTurn();
  request.next('late');
  request.complete();
  expect(await answers).toEqual(answersOf(method));
  await replica.becomesFree('chat');
});

test.for(METHODS)(
  'a gRPC stream gets the messages that come while it waits (%s)',
  async (method, { expect }) => {
    const { module, replica } = await start();
    const held = await replica.hold('chat');
    const request = requestStream();
    request.next('early');
    const answers = answersWith(module.get(Chat)[method](request.subject.asObservable()));
    await hasWaiters(module.get(LockService), 'chat', 1);
    request.next('late');
    request.complete();
    await held.release();
    expect(await answers).toEqual(answersOf(method));
    await replica.becomesFree('chat');
  },
);

/** All values of an answer, which Nest subscribes to at once. */
async function answersWith(answer: unknown): Promise<unknown[]> {
  const result = answer instanceof Observable ? answer : await answer;
  return lastValueFrom((result instanceof Observable ? result : from([result])).pipe(toArray()));
}
