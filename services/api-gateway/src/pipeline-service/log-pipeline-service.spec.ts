import { setTimeout as pause } from 'node:timers/promises';
import {
  ConfigurationReplica,
  Refusal,
  type Request,
  type SuppressionId,
  TOPIC,
} from '@penstock/contracts';
import { openMessage, type SealedMessage, sealOutcome } from '@penstock/runtime';
import { LogClient, LogServer, LogUnavailable } from '@penstock/messaging';
import { apiKey, organization, seals, WORKSPACE } from '../testing/installation.fixture';
import { CallerGone } from '../http/caller-gone';
import { MemoryLog } from '../testing/memory-log.fixture';
import { LogPipelineService } from './log-pipeline-service';

const metadata = {
  caller: {
    key: apiKey('write').record.id,
    scope: 'write' as const,
    organization: organization(),
    boundTo: null,
    workspace: WORKSPACE,
  },
  requestId: 'request-1',
};

/** Concatenates all values in the topic. */
const written = (log: MemoryLog, topic: string): string =>
  log
    .recordsOf(topic)
    .map(({ value }) => value)
    .join();

const TYPE = { connection: 'p', eventType: 'e' };

const setUp = async (
  handle: (request: Request<unknown>) => unknown,
  replica = new ConfigurationReplica(),
  timeoutMs = 200,
) => {
  const log = new MemoryLog();
  const server = new LogServer({ log, group: 'spec', requests: [TOPIC.commands, TOPIC.queries] });
  for (const name of ['GetEventTypeSchema', 'DeletePipeline', 'ListApplicationUsers'])
    server.addHandler(name, (data: Request<unknown>) => Promise.resolve(data).then(handle));
  await new Promise((resolve) => {
    server.listen(resolve);
  });
  const client = new LogClient({ log, timeoutMs });
  return { log, service: new LogPipelineService(client, replica, seals), replica };
};

it('sends caller, request id and expected version', async () => {
  const requests: Request<unknown>[] = [];
  const { service } = await setUp((request) => {
    requests.push(request);
    return { schema: null };
  });
  expect(
    await service.query('GetEventTypeSchema', 'p', TYPE, { ...metadata, expectedVersion: 4 }),
  ).toEqual({ schema: null });
  expect(requests).toMatchObject([
    {
      context: {
        actor: metadata.caller.key,
        requestId: 'request-1',
        organization: metadata.caller.organization.id,
        workspace: WORKSPACE,
        expectedVersion: 4,
      },
      in: TYPE,
    },
  ]);
  expect(requests[0]?.context.commandId).toMatch(/./);
});

it("derives the command id from the request's, so that a repetition is the same command", async () => {
  const ids: string[] = [];
  const { service } = await setUp(({ context }) => {
    ids.push(context.commandId);
    return { position: 0, out: {} };
  });
  const idempotent = { ...metadata, commandId: 'c1' };
  await service.execute('DeletePipeline', 'p', { id: 'p' }, idempotent);
  await service.execute('DeletePipeline', 'p', { id: 'p' }, idempotent);
  await service.execute('DeletePipeline', 'p', { id: 'p' }, metadata);
  await service.query('GetEventTypeSchema', 'p', TYPE, idempotent);
  expect(ids.slice(0, 2)).toEqual(['c1/DeletePipeline', 'c1/DeletePipeline']);
  expect(new Set(ids).size).toBe(3);
});

it('sends a dry run, and does not wait for the replica', async () => {
  const requests: Request<unknown>[] = [];
  const { service } = await setUp((request) => {
    requests.push(request);
    return { position: 7, out: {} };
  });
  const tried = { ...metadata, isDryRun: true };
  expect(await service.execute('DeletePipeline', 'p', { id: 'p' }, tried)).toEqual({});
  expect(requests).toMatchObject([{ context: { isDryRun: true } }]);
});

it('refuses an expected version for an object without versions', async () => {
  const handle = jest.fn();
  const { service } = await setUp(handle);
  const id = 'user' as SuppressionId;
  const conditional = { ...metadata, expectedVersion: 1 };
  await expect(service.execute('SuppressUser', id, { id }, conditional)).rejects.toMatchObject({
    code: 'Conflict',
  });
  expect(handle).not.toHaveBeenCalled();
});

it.each([
  ['read', 'write'],
  ['write', 'admin'],
] as const)('refuses a key of scope %s where %s is needed', async (scope, needed) => {
  const handle = jest.fn();
  const { service } = await setUp(handle);
  const request = { ...metadata, caller: { ...metadata.caller, scope } };
  const sent =
    needed === 'write'
      ? service.execute('DeletePipeline', 'p', { id: 'p' }, request)
      : service.execute('RepairWarehouse', 'w', {}, request);
  await expect(sent).rejects.toMatchObject({ code: 'Forbidden' });
  expect(handle).not.toHaveBeenCalled();
});

it('sends commands and queries to separate topics', async () => {
  const { service, log } = await setUp(() => ({ position: 0, out: {} }));
  await service.query('GetEventTypeSchema', 'p', TYPE, metadata);
  await service.execute('DeletePipeline', 'p', { id: 'p' }, metadata);
  expect(written(log, TOPIC.queries)).toContain('GetEventTypeSchema');
  expect(written(log, TOPIC.queries)).not.toContain('DeletePipeline');
  expect(log.recordsOf(TOPIC.commands)).toHaveLength(1);
});

it('writes users to the log only sealed', async () => {
  const users = ['{"email":"ada@example.com"}'];
  const input = { connection: 'p', schema: '{}', filter: '"grace@example.com"', cursor: '' };
  const { service, log } = await setUp((request) => {
    const place = { ...request.context, is: 'request' } as const;
    expect(openMessage(seals, request.in as SealedMessage, place)).toEqual(input);
    return sealOutcome(seals, { users, cursor: '' }, request.context);
  });
  const answer = await service.query('ListApplicationUsers', 'p', input, metadata);
  expect(answer).toEqual({ users, cursor: '' });
  const text = [TOPIC.queries, TOPIC.replies].map((topic) => written(log, topic)).join();
  expect(text).toContain('ListApplicationUsers');
  expect(text).not.toMatch(/@|example/);
});

it('answers a change once the replica has applied it', async () => {
  const { service, replica } = await setUp(() => ({ position: 3, out: {} }));
  let isAnswered = false;
  const change = service
    .execute('DeletePipeline', 'p', { id: 'p' }, metadata)
    .then(() => (isAnswered = true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isAnswered).toBe(false);
  replica.apply({ position: 3, state: organization() });
  expect(await change).toBe(true);
});

it('rejects with the refusal of a rule', async () => {
  const details = [{ path: '/name', message: 'is taken' }];
  const { service } = await setUp(() => {
    throw new Refusal('ConnectionNotExist', { kind: 'refused', details });
  });
  const refusal = await service
    .query('GetEventTypeSchema', 'p', TYPE, metadata)
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({
    code: 'ConnectionNotExist',
    kind: 'refused',
    message: 'connection does not exist',
    details,
  });
});

it('rejects when there is no reply', async () => {
  const { service, log } = await setUp(() => new Promise(() => undefined));
  await expect(service.query('GetEventTypeSchema', 'p', TYPE, metadata)).rejects.toMatchObject({
    name: 'RequestTimeout',
  });
  log.failure = new LogUnavailable('away');
  await expect(service.query('GetEventTypeSchema', 'p', TYPE, metadata)).rejects.toBe(log.failure);
});

it('refuses a request that exceeds the size of a message', async () => {
  const { service, log } = await setUp(() => ({}));
  log.failure = new RangeError('a value has more than 1000000 bytes');
  await expect(service.query('GetEventTypeSchema', 'p', TYPE, metadata)).rejects.toMatchObject({
    code: 'PayloadTooLarge',
    status: 413,
  });
});

describe('commands', () => {
  const delayed = () => {
    const sent: string[] = [];
    const waiting: (() => void)[] = [];
    const handle = async ({ in: input }: Request<unknown>) => {
      sent.push((input as { id: string }).id);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { position: 0, out: {} };
    };
    const endAll = (): void => {
      for (const end of waiting.splice(0)) end();
    };
    return { sent, endAll, handle };
  };
  const inWorkspace = (workspace: string) => ({
    ...metadata,
    caller: { ...metadata.caller, workspace: workspace as typeof WORKSPACE },
  });

  it('of one workspace leave room for those of another', async () => {
    const { sent, endAll, handle } = delayed();
    // None may be given up, on a busy machine either: it would not be sent.
    const { service, log } = await setUp(handle, new ConfigurationReplica(), 60_000);
    const change = (id: string, workspace: string): Promise<unknown> =>
      service.execute('DeletePipeline', id, { id }, inWorkspace(workspace)).catch(() => undefined);
    const flood = Array.from({ length: 100 }, (_, index) => change(`a${String(index)}`, 'a'));
    const other = change('b', 'b');
    await pause(50);
    const keys = log.recordsOf(TOPIC.commands).map(({ key }) => key);
    expect(keys).toHaveLength(64);
    expect(keys).toContain('b');
    while (sent.length < 101) {
      endAll();
      await pause(5);
    }
    endAll();
    await Promise.all([...flood, other]);
  });

  it('wait no longer than the caller does, and are not sent then', async () => {
    const { sent, endAll, handle } = delayed();
    const { service } = await setUp(handle);
    const gone = new AbortController();
    const flood = Array.from({ length: 63 }, (_, index) =>
      service
        .execute('DeletePipeline', String(index), { id: String(index) }, metadata)
        .catch(() => undefined),
    );
    const late = { ...metadata, gone: () => gone.signal };
    const waiting = service.execute('DeletePipeline', 'late', { id: 'late' }, late);
    gone.abort(new CallerGone('gone'));
    await expect(waiting).rejects.toBeInstanceOf(CallerGone);
    await pause(20);
    endAll();
    await Promise.all(flood);
    expect(sent).not.toContain('late');
  });

  it('are refused when too many wait', async () => {
    const { endAll, handle } = delayed();
    const { service } = await setUp(handle);
    const flood = Array.from({ length: 63 + 512 }, (_, index) =>
      service
        .execute('DeletePipeline', String(index), { id: String(index) }, metadata)
        .catch(() => undefined),
    );
    await expect(
      service.execute('DeletePipeline', 'more', { id: 'more' }, metadata),
    ).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    for (let round = 0; round < 20; round += 1) {
      endAll();
      await pause(5);
    }
    await Promise.all(flood);
  });
});

it('withdraws a query when the caller has gone', async () => {
  const { service, log } = await setUp(() => new Promise(() => undefined));
  const gone = new AbortController();
  const asked = service.query('GetEventTypeSchema', 'p', TYPE, {
    ...metadata,
    gone: () => gone.signal,
  });
  await pause(20);
  gone.abort(new CallerGone('gone'));
  await expect(asked).rejects.toBeInstanceOf(CallerGone);
  await pause(5);
  expect(log.recordsOf(TOPIC.queries).map(({ key }) => key)).toEqual(['p', 'p']);
});
