import { ConfigurationReplica, Refusal, type Request } from '@penstock/contracts';
import { LogClient, LogServer, LogUnavailable } from '@penstock/messaging';
import { apiKey, organization, WORKSPACE } from '../testing/installation.fixture';
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

const setUp = async (
  handle: (request: Request<unknown>) => unknown,
  replica = new ConfigurationReplica(),
) => {
  const log = new MemoryLog();
  const server = new LogServer({ log, group: 'spec' });
  for (const name of ['GetPipeline', 'DeletePipeline'])
    server.addHandler(name, (data: Request<unknown>) => Promise.resolve(data).then(handle));
  await new Promise((resolve) => {
    server.listen(resolve);
  });
  const client = new LogClient({ log, timeoutMs: 200 });
  return { log, service: new LogPipelineService(client, replica), replica };
};

it('says who asks for what', async () => {
  const requests: Request<unknown>[] = [];
  const { service } = await setUp((request) => {
    requests.push(request);
    return { id: 'p' };
  });
  expect(
    await service.query('GetPipeline', 'p', { id: 'p' }, { ...metadata, expectedVersion: 4 }),
  ).toEqual({ id: 'p' });
  expect(requests).toMatchObject([
    {
      context: {
        actor: metadata.caller.key,
        requestId: 'request-1',
        organization: metadata.caller.organization.id,
        workspace: WORKSPACE,
        expectedVersion: 4,
      },
      in: { id: 'p' },
    },
  ]);
  expect(requests[0]?.context.commandId).toMatch(/./);
});

it('calls a command by the id of its request, so that a repetition is the same command', async () => {
  const ids: string[] = [];
  const { service } = await setUp(({ context }) => {
    ids.push(context.commandId);
    return { position: 0, out: {} };
  });
  const idempotent = { ...metadata, commandId: 'c1' };
  await service.execute('DeletePipeline', 'p', { id: 'p' }, idempotent);
  await service.execute('DeletePipeline', 'p', { id: 'p' }, idempotent);
  await service.execute('DeletePipeline', 'p', { id: 'p' }, metadata);
  await service.query('GetPipeline', 'p', { id: 'p' }, idempotent);
  expect(ids.slice(0, 2)).toEqual(['c1/DeletePipeline', 'c1/DeletePipeline']);
  expect(new Set(ids).size).toBe(3);
});

it('answers a change once it is seen here', async () => {
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

it('hands on what a rule said', async () => {
  const details = [{ path: '/name', message: 'is taken' }];
  const { service } = await setUp(() => {
    throw new Refusal('ConnectionNotExist', { kind: 'refused', details });
  });
  const refusal = await service
    .query('GetPipeline', 'p', { id: 'p' }, metadata)
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({
    code: 'ConnectionNotExist',
    kind: 'refused',
    message: 'connection does not exist',
    details,
  });
});

it('hands on that there was no answer', async () => {
  const { service, log } = await setUp(() => new Promise(() => undefined));
  await expect(service.query('GetPipeline', 'p', { id: 'p' }, metadata)).rejects.toMatchObject({
    name: 'RequestTimeout',
  });
  log.failure = new LogUnavailable('away');
  await expect(service.query('GetPipeline', 'p', { id: 'p' }, metadata)).rejects.toBe(log.failure);
});

it('refuses what fits into no message', async () => {
  const { service, log } = await setUp(() => ({}));
  log.failure = new RangeError('a value has more than 1000000 bytes');
  await expect(service.query('GetPipeline', 'p', { id: 'p' }, metadata)).rejects.toMatchObject({
    code: 'PayloadTooLarge',
    status: 413,
  });
});
