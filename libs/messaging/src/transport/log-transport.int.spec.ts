import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, type INestMicroservice, type Type } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import { firstValueFrom, from, lastValueFrom, toArray } from 'rxjs';
import { fresh } from '../contract/log-harness';
import { until } from '../contract/until';
import { LogUnavailable, MAX_VALUE_BYTES } from '../message-log';
import { PostgresMessageLog } from '../postgres/postgres-message-log';
import { makeTestDatabase, type TestDatabase } from '../postgres/test-database.fixture';
import { LogClient, type LogClientOptions } from './log-client';
import { LogRequest } from './log-request';
import type { LogRequestContext } from './log-request-context';
import { LogServer, type LogServerOptions } from './log-server';
import { PassErrorsOn } from './pass-errors-on';
import { RequestFailed, RequestTimeout } from './request-errors';

jest.setTimeout(60_000);

class NoSuchThing extends Error {
  override readonly name = 'Refusal';
  readonly code = 'ThingNotExist';
  readonly kind = 'absent';
  readonly details = [{ path: 'thing' }];
}

class DatabaseAway extends Error {}

/** Calls of the handlers, over all instances. */
const seen: string[] = [];
let failuresLeft = 0;
let atWork = 0;
let mostAtWork = 0;

const makeGate = () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};
let gate = makeGate();

@Controller()
class Things {
  @MessagePattern('Double')
  double(@Payload() value: number) {
    return value * 2;
  }

  @MessagePattern('Nothing')
  nothing() {
    seen.push('nothing');
  }

  @MessagePattern('Fill')
  fill(@Payload() length: number) {
    return 'x'.repeat(length);
  }

  @MessagePattern('Count')
  count(@Payload() to: number) {
    return from(Array.from({ length: to }, (_, index) => index + 1));
  }

  @MessagePattern('Refuse')
  refuse() {
    throw new NoSuchThing('thing does not exist');
  }

  @MessagePattern('Break')
  async break() {
    await sleep(1);
    throw new TypeError('the secret is 42');
  }

  @MessagePattern('Flaky')
  flaky(@Payload() value: string, @Ctx() context: LogRequestContext) {
    seen.push(`${value} ${context.commandId}`);
    if (failuresLeft-- > 0) throw new DatabaseAway();
    return value;
  }

  @MessagePattern('Slow')
  async slow(@Payload() value: string, @Ctx() { key }: LogRequestContext) {
    atWork += 1;
    mostAtWork = Math.max(mostAtWork, atWork);
    await sleep(50);
    atWork -= 1;
    seen.push(`${key} ${value}`);
    return value;
  }

  /** Answers once the gate is open: with the value, or with an error for some values. */
  @MessagePattern('Wait', { detached: true })
  async wait(@Payload() value: string) {
    seen.push(`waiting ${value}`);
    await gate.opened;
    if (value === 'refused') throw new NoSuchThing('thing does not exist');
    if (value === 'away') throw new DatabaseAway();
    return value;
  }

  @MessagePattern('WaitIfLong', { detached: (value: string) => value.startsWith('long') })
  waitIfLong(@Payload() value: string) {
    return value.startsWith('long') ? this.wait(value) : value;
  }

  /** Ends when the gate is open, or nobody waits for it any more. */
  @MessagePattern('WaitWhileWanted', { detached: true })
  async waitWhileWanted(@Payload() value: string, @Ctx() { signal }: LogRequestContext) {
    seen.push(`waiting ${value}`);
    const unwanted = new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    await Promise.race([gate.opened, unwanted]);
    seen.push(`${signal.aborted ? 'unwanted' : 'wanted'} ${value}`);
    return value;
  }

  @MessagePattern('Traceparent')
  traceparent(@Ctx() { traceparent = 'none' }: LogRequestContext) {
    return traceparent;
  }

  /** Blocks later requests of its topic. */
  @MessagePattern('Hold')
  async hold() {
    await gate.opened;
  }

  @MessagePattern('Open')
  open() {
    gate.open();
  }

  @EventPattern('Noted')
  noted(@Payload() value: string) {
    seen.push(`first ${value}`);
    throw new Error('an event has no sender who gets an error');
  }
}

@Controller()
class MoreThings {
  @EventPattern('Noted')
  noted(@Payload() value: string) {
    seen.push(`second ${value}`);
  }
}

let database: TestDatabase;
let log: PostgresMessageLog;
let topics: Readonly<Record<'requests' | 'looks' | 'replies', string>>;
const errors: unknown[] = [];
const logger = {
  error: (...args: unknown[]) => errors.push(args),
  warn: (...args: unknown[]) => errors.push(args),
};
const services: INestMicroservice[] = [];
const clients: LogClient[] = [];

const serve = async (options: Partial<LogServerOptions> = {}): Promise<void> => {
  const controllers: Type[] = [Things, MoreThings];
  const module = await Test.createTestingModule({ controllers }).compile();
  const isRetriable = (error: unknown) => error instanceof DatabaseAway;
  const strategy = new LogServer({
    log,
    requests: [topics.requests, topics.looks],
    replies: topics.replies,
    group: 'things',
    logger,
    isRetriable,
    ...options,
  });
  const service = module.createNestMicroservice({ strategy, logger: false });
  service.useGlobalFilters(new PassErrorsOn());
  services.push(service);
  await service.listen();
};

const connect = (options: Pick<LogClientOptions, 'traceparent'> = {}): LogClient => {
  const { requests, replies } = topics;
  const client = new LogClient({ log, requests, replies, ...options });
  clients.push(client);
  return client;
};
const ask = (client: LogClient, pattern: string, data: unknown): Promise<unknown> =>
  lastValueFrom(client.send<unknown>(pattern, data), { defaultValue: 'no value' });

beforeAll(async () => {
  database = await makeTestDatabase();
});

beforeEach(async () => {
  log = new PostgresMessageLog({
    connection: { connectionString: database.url.href },
    onFault: () => undefined,
  });
  topics = { requests: fresh('commands'), looks: fresh('queries'), replies: fresh('replies') };
  await log.ensureTopics(
    Object.values(topics).map((name) => ({ name, partitions: 2, retention: 3_600_000 })),
  );
  seen.length = 0;
  errors.length = 0;
  failuresLeft = 0;
  mostAtWork = 0;
  gate = makeGate();
});

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await log.close();
});

afterAll(() => database.drop());

it('gives each request its own answer', async () => {
  await serve();
  const client = connect();

  const answers = Array.from({ length: 200 }, (_, value) => ask(client, 'Double', value));

  expect(await Promise.all(answers)).toEqual(answers.map((_, value) => value * 2));
});

it('reads several topics, none of which waits for another', async () => {
  await serve();
  const client = connect();
  const held = ask(client, 'Hold', {});
  const looks = Array.from({ length: 20 }, (_, value) =>
    ask(
      client,
      'Double',
      new LogRequest({ key: 'same for all', data: value, topic: topics.looks }),
    ),
  );
  expect(await Promise.all(looks)).toEqual(looks.map((_, value) => value * 2));
  gate.open();
  await held;
});

it('answers a request that was sent before the server started', async () => {
  const answer = ask(connect(), 'Double', 21);
  await sleep(200);
  await serve();
  expect(await answer).toBe(42);
});

it('answers without a value when the handler returns none', async () => {
  await serve();
  expect(await ask(connect(), 'Nothing', {})).toBe('no value');
  expect(seen).toEqual(['nothing']);
});

it.each([0, 1, 3])('emits all %i values of an observable, then completes', async (count) => {
  await serve();
  const values = connect().send<number>('Count', count).pipe(toArray());
  expect(await firstValueFrom(values)).toEqual([1, 2, 3].slice(0, count));
});

it('shares requests between instances of a service, and answers only the requester', async () => {
  await Promise.all([serve(), serve()]);
  const [one, two] = [connect(), connect()];

  const answers = Array.from({ length: 50 }, (_, value) =>
    Promise.all([ask(one, 'Double', value), ask(two, 'Double', value + 1_000)]),
  );

  expect(await Promise.all(answers)).toEqual(
    answers.map((_, value) => [value * 2, (value + 1_000) * 2]),
  );
});

it('answers with an error that is meant for the requester', async () => {
  await serve();
  const error: unknown = await ask(connect(), 'Refuse', {}).catch((e: unknown) => e);

  expect(error).toBeInstanceOf(RequestFailed);
  expect(error).toMatchObject({
    code: 'ThingNotExist',
    kind: 'absent',
    message: 'thing does not exist',
    details: [{ path: 'thing' }],
    reply: { name: 'Refusal' },
  });
  expect(errors).toEqual([]);
});

it('hides any other error, but logs it, and continues', async () => {
  await serve();
  const client = connect();
  const request = (pattern: string) =>
    ask(client, pattern, new LogRequest({ key: 'same', data: 4 }));
  const broken = request('Break').catch((e: unknown) => e);
  const next = request('Double');

  expect(await broken).toMatchObject({ code: 'InternalError' });
  expect(String(await broken)).not.toContain('42');
  expect(errors).toEqual([[expect.stringContaining('Break'), expect.any(TypeError)]]);
  expect(await next).toBe(8);
});

it('reports an answer that exceeds the size of a message, logs it, and continues', async () => {
  await serve();
  const client = connect();
  const fill = (length: number) =>
    ask(client, 'Fill', new LogRequest({ key: 'same', data: length }));
  await expect(fill(MAX_VALUE_BYTES)).rejects.toMatchObject({ code: 'InternalError' });
  expect(errors).toEqual([[expect.stringContaining('Fill'), expect.any(RangeError)]]);
  expect(await fill(1)).toBe('x');
});

it('answers an unknown pattern with an error', async () => {
  await serve();
  await expect(ask(connect(), 'Nowhere', {})).rejects.toMatchObject({ code: 'UnknownPattern' });
});

it('skips records that are not requests', async () => {
  await serve();
  const texts = ['{', '[]', '{"pattern":1}', null];
  await log.append(
    topics.requests,
    texts.map((value) => ({ key: 'same', value })),
  );
  expect(await ask(connect(), 'Double', new LogRequest({ key: 'same', data: 1 }))).toBe(2);
  expect(errors).toHaveLength(texts.length);
});

it('keeps the order of a key, and handles several keys concurrently, up to the limit', async () => {
  await serve({ concurrency: 3 });
  const client = connect();
  await client.connect();
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const requests = keys.flatMap((key) =>
    ['1', '2'].map((data) => ask(client, 'Slow', new LogRequest({ key, data }))),
  );
  await Promise.all(requests);

  for (const key of keys)
    expect(seen.filter((entry) => entry.startsWith(key))).toEqual([`${key} 1`, `${key} 2`]);
  expect(mostAtWork).toBeGreaterThan(1);
  expect(mostAtWork).toBeLessThanOrEqual(6);
});

it('holds up the requests of a slow key only, also those that come later', async () => {
  await serve({ concurrency: 2 });
  const client = connect();
  const held = ask(client, 'Hold', new LogRequest({ key: 'held', data: '', timeoutMs: 20_000 }));
  const behind = ask(client, 'Slow', new LogRequest({ key: 'held', data: 'v', timeoutMs: 20_000 }));
  for (let round = 1; round <= 3; round += 1)
    for (const key of ['a', 'b', 'c', 'd'])
      expect(await ask(client, 'Slow', new LogRequest({ key, data: String(round) }))).toBe(
        String(round),
      );
  expect(seen).not.toContain('held v');
  gate.open();
  await held;
  expect(await behind).toBe('v');
});

it('handles again what was not finished, and only that, when a process ends', async () => {
  await serve();
  const client = connect();
  const hold = new LogRequest({ key: 'held', data: '', timeoutMs: 20_000 });
  const held = ask(client, 'Hold', hold);
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f'])
    await ask(client, 'Slow', new LogRequest({ key, data: '1' }));
  gate.open();
  await held;
  await Promise.all(services.splice(0).map((service) => service.close()));
  await serve();
  expect(await ask(client, 'Double', 2)).toBe(4);
  expect(seen).toHaveLength(6);
});

it('withdraws a request that nobody waits for any more', async () => {
  await serve({ concurrency: 2 });
  const client = connect();
  const gone = new AbortController();
  const { signal } = gone;
  const running = ask(client, 'WaitWhileWanted', new LogRequest({ key: 'k', data: '1', signal }));
  await until('the handler at work', () => seen.length === 1);
  const held = ask(client, 'Hold', new LogRequest({ key: 'l', data: '' }));
  const waiting = ask(client, 'Slow', new LogRequest({ key: 'l', data: 'unwanted', signal }));
  const other = ask(client, 'WaitWhileWanted', new LogRequest({ key: 'k', data: '2' }));
  await until('the other at work', () => seen.length === 2);
  gone.abort(new Error('gone'));
  await expect(running).rejects.toThrow('gone');
  await expect(waiting).rejects.toThrow('gone');
  await until('the handler has ended', () => seen.includes('unwanted 1'));
  gate.open();
  expect([await held, await other]).toEqual(['no value', '2']);
  expect(await ask(client, 'Slow', new LogRequest({ key: 'l', data: 'wanted' }))).toBe('wanted');
  expect(seen).toEqual(['waiting 1', 'waiting 2', 'unwanted 1', 'wanted 2', 'l wanted']);
  await expect(
    ask(client, 'Double', new LogRequest({ key: 'k', data: 1, signal })),
  ).rejects.toThrow('gone');
});

it('is not blocked by detached handlers, and sends their answers when they are done', async () => {
  await serve();
  const client = connect();
  const same = (pattern: string, data = '') =>
    ask(client, pattern, new LogRequest({ key: 'same', data, timeoutMs: 6_000 }));
  const waiting = Promise.allSettled(
    ['done', 'refused', 'away'].map((value) => same('Wait', value)),
  );
  await same('Open');

  expect(await waiting).toEqual([
    { status: 'fulfilled', value: 'done' },
    { status: 'rejected', reason: expect.any(RequestFailed) as RequestFailed },
    { status: 'rejected', reason: expect.objectContaining({ kind: 'unavailable' }) as unknown },
  ]);
  expect(errors).toEqual([[expect.stringContaining('Wait'), expect.any(DatabaseAway)]]);
});

it('is not blocked by a handler whose data take long', async () => {
  await serve();
  const client = connect();
  const same = (data: string) =>
    ask(client, 'WaitIfLong', new LogRequest({ key: 'same', data, timeoutMs: 20_000 }));
  const long = same('long');
  expect(await same('short')).toBe('short');
  gate.open();
  expect(await long).toBe('long');
});

it('rejects after the deadline, and the server skips expired requests', async () => {
  const client = connect();
  const late = new LogRequest({ key: 'k', data: 'late', timeoutMs: 200 });
  await expect(ask(client, 'Slow', late)).rejects.toThrow(RequestTimeout);

  await serve();
  await ask(client, 'Slow', new LogRequest({ key: 'k', data: 'in time' }));
  expect(seen).toEqual(['k in time']);
});

it('redelivers when a dependency is unavailable, under the same command id', async () => {
  await serve();
  failuresLeft = 2;
  const request = new LogRequest({ key: 'k', data: 'v', commandId: 'command-1' });

  expect(await ask(connect(), 'Flaky', request)).toBe('v');
  expect(seen).toEqual(['v command-1', 'v command-1', 'v command-1']);
});

it('answers all requesters of the same command', async () => {
  await serve();
  const client = connect();
  const request = new LogRequest({ key: 'k', data: 'v', commandId: 'command-1' });
  const answers = [ask(client, 'Flaky', request), ask(client, 'Flaky', request)];
  expect(await Promise.all(answers)).toEqual(['v', 'v']);
});

it('delivers an event to every handler, and is not blocked by a failure', async () => {
  await serve();
  const client = connect();
  await lastValueFrom(client.emit('Noted', new LogRequest({ key: 'k', data: 'one' })));
  await lastValueFrom(client.emit('Noted', new LogRequest({ key: 'k', data: 'two' })));

  await until('both events', () => errors.length === 2);
  expect(seen).toEqual(['first one', 'second one', 'first two', 'second two']);
});

it('rejects with LogUnavailable when the request cannot be appended', async () => {
  const client = connect();
  await client.connect();
  await log.close();
  await expect(ask(client, 'Double', 1)).rejects.toThrow(LogUnavailable);
});

it('refuses to listen when a topic is missing', async () => {
  await expect(serve({ requests: ['nowhere'] })).rejects.toThrow('nowhere');
  await expect(serve({ requests: [topics.requests, 'nowhere'] })).rejects.toThrow('nowhere');
  await expect(serve({ replies: 'nowhere' })).rejects.toThrow('nowhere');
});

it('answers a request whose data the function of `detached` cannot read, and continues', async () => {
  await serve();
  const client = connect();
  await expect(ask(client, 'WaitIfLong', 5)).rejects.toMatchObject({ code: 'InternalError' });
  expect(await ask(client, 'WaitIfLong', 'short')).toBe('short');
});

it('refuses requests of detached handlers beyond its limit, and accepts others', async () => {
  await serve({ maxDetached: 2 });
  const client = connect();
  const wait = (data: string) => ask(client, 'Wait', new LogRequest({ key: 'same', data }));
  const taken = [wait('1'), wait('2')];
  await until('both at work', () => seen.length === 2);
  await expect(wait('3')).rejects.toMatchObject({
    code: 'ServiceUnavailable',
    kind: 'unavailable',
  });
  gate.open();
  expect(await Promise.all(taken)).toEqual(['1', '2']);
  expect(await wait('4')).toBe('4');
});

it('answers detached requests before it stops', async () => {
  await serve();
  const client = connect();
  const answer = ask(client, 'Wait', 'v');
  await until('the handler at work', () => seen.length === 1);
  const closed = services.pop()?.close();
  gate.open();
  await closed;
  expect(await answer).toBe('v');
});

it('answers requests in progress before it stops', async () => {
  await serve();
  const client = connect();
  const answer = ask(client, 'Slow', 'v');
  await until('the handler at work', () => atWork === 1);
  await services.pop()?.close();
  expect(await answer).toBe('v');
});

it('carries the trace of the sender to the handler and to what is around it', async () => {
  const around: (string | undefined)[] = [];
  await serve({
    within: (_, handle, traceparent) => {
      around.push(traceparent);
      return handle();
    },
  });
  let present: string | undefined = 'trace-1';
  const client = connect({ traceparent: () => present });
  expect(await ask(client, 'Traceparent', 0)).toBe('trace-1');
  present = undefined;
  expect(await ask(client, 'Traceparent', 0)).toBe('none');
  expect(await ask(connect(), 'Traceparent', 0)).toBe('none');
  expect(around).toEqual(['trace-1', undefined, undefined]);
});
