import { PARTITIONS, topics } from '@penstock/contracts';
import { CannotStart, newId, SecretBox } from '@penstock/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './testing/eventually.fixture';
import { aWriteKey, Installation } from './testing/installation.fixture';
import { withBefore } from './testing/logs.fixture';
import { aPipeline } from './testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;

beforeEach(async () => {
  installation = await Installation.open();
});

afterEach(() => installation.close());

const sessions = async (application: string): Promise<number> => {
  const { rows } = await installation.pool.query<{ count: number }>(
    `SELECT count(*)::int FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE $1`,
    [application],
  );
  return rows[0]?.count ?? 0;
};

const endSessions = (): Promise<unknown> =>
  installation.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name IN ('penstock-pipeline-service', 'penstock-relay')`,
  );

it('executes every command once while its database connections are being lost', async () => {
  const replica = await installation.follow();
  const service = await installation.start();
  const destination = await installation.destination();
  const made: string[] = [];
  const rounds = process.env['PENSTOCK_TEST_LONG'] === '1' ? 20 : 8;
  for (let n = 0; n < rounds; n += 1) {
    const creations = [1, 2, 3].map(() =>
      installation.command('CreatePipeline', aPipeline(destination)),
    );
    await sleep(2 * n);
    await endSessions();
    for (const { id } of await Promise.all(creations)) made.push(id);
  }

  const { pipelines } = await installation.read('GetConnection', { id: destination });
  expect([...pipelines].sort()).toEqual([...made].sort());
  await service.published();
  await replica.waitFor(await installation.newest());
  expect(replica.pipelinesOn(destination)).toHaveLength(3 * rounds);
  expect(installation.lines.all.filter((line) => line.includes('has failed'))).toEqual([]);
});

it('leaves nothing open when it fails to start, nor when it is closed', async () => {
  const log = withBefore(installation.log, () => Promise.resolve());
  log.partitionsOf = () => Promise.reject(new Error('no such topic'));
  await expect(installation.start({ log })).rejects.toThrow('no such topic');
  const service = await installation.start();
  expect(await sessions('penstock-pipeline-service')).toBeGreaterThan(0);
  await installation.stop(service);
  await service.close();
  await eventually(
    async () => [await sessions('penstock-pipeline-service'), await sessions('penstock-relay')],
    ([services, relays]) => services === 0 && relays === 0,
  );
});

it('refuses another secret than that of the installation, before it records anything', async () => {
  await installation.stop(await installation.start());
  const facts = async () => (await installation.pool.query('SELECT FROM penstock.facts')).rowCount;
  const before = await facts();
  const start = installation.start({
    secrets: new SecretBox('another secret of 32 characters.'),
    bootstrapKey: 'b'.repeat(40),
  });
  await expect(start).rejects.toThrow(CannotStart);
  await expect(start).rejects.toThrow('PENSTOCK_SECRET is not that of the installation: set the');
  expect(await facts()).toBe(before);
  await installation.start({ bootstrapKey: 'b'.repeat(40) });
  expect(await facts()).toBe((before ?? 0) + 1);
});

it('adds the request id to each log line of a request', async () => {
  await installation.start();
  await installation.pool.query('ALTER TABLE penstock.connections RENAME TO connections_away');
  const look = (requestId: string) =>
    installation.query(
      'GetEventTypeSchema',
      { connection: newId(), eventType: 'any' },
      { requestId },
    );
  await Promise.all(
    ['request-1', 'request-2'].map((id) => expect(look(id)).rejects.toBeInstanceOf(Error)),
  );
  const failed = installation.lines.all.filter((line) => line.includes('has failed'));
  const ids = failed.map((line) => (JSON.parse(line) as { requestId?: string }).requestId);
  expect(ids.sort()).toEqual(['request-1', 'request-2']);
});

it('writes no secret in plain text, neither on the log nor into the database', async () => {
  const service = await installation.start();
  const [password, writeKey] = ['Very-Secret-1', 'Very-Secret-2'];
  const settings = installation.sealed({ sharedSecret: password });
  const id = await installation.source({
    connector: 'segment',
    settings,
    writeKey: aWriteKey(installation.workspace, writeKey),
  });
  await service.published();

  const { rows } = await installation.pool.query(
    `SELECT f::text FROM penstock.facts f UNION ALL SELECT r::text FROM penstock.replies r
     UNION ALL SELECT c::text FROM penstock.connections c`,
  );
  const written = [JSON.stringify(rows)];
  for (const { name: topic } of topics(PARTITIONS.embedded))
    for (const { value } of await installation.records(topic)) written.push(value ?? '');
  const text = [...written, ...installation.lines.all].join('\n');
  expect(text).toContain(id);
  for (const secret of [password, writeKey, service.newKey ?? 'none']) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64url').slice(0, 12));
  }
});
