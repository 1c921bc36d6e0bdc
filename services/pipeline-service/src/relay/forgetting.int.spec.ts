import {
  type AlertId,
  type ConnectionId,
  type HealthCode,
  type HealthSubject,
  type HistorySource,
  type Instant,
  type PipelineId,
  pipelineKey,
  RoutingReplica,
  TOPIC,
} from '@penstock/contracts';
import { PostgresEventStore } from '@penstock/event-sourcing';
import { PipelineServiceClient, readHistory } from '@penstock/platform';
import { newId } from '@penstock/runtime';
import type { DataSource } from 'typeorm';
import { verifyAudit } from '../audit/verify-audit';
import type { RunningPipelineService } from '../create-pipeline-service';
import { connectDatabase } from '../database/database';
import { eventually } from '../testing/eventually.fixture';
import { Installation } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';
import { Forgetting } from './forgetting';
import { RelayRunner } from './relay-runner';

jest.setTimeout(60_000);

let installation: Installation;
let service: RunningPipelineService;
let database: DataSource;

beforeEach(async () => {
  installation = await Installation.open();
  service = await installation.start();
  database = await connectDatabase(installation.databaseUrl, () => undefined);
});

afterEach(async () => {
  await database.destroy();
  await installation.close();
});

/** A pipeline in that version, on a destination of its own. */
const pipelineOf = async (version: number): Promise<{ id: PipelineId; connection: string }> => {
  const connection = await installation.destination();
  const { id } = await installation.command('CreatePipeline', aPipeline(connection));
  for (let made = 1; made < version; made += 1)
    await installation.command('SetPipelineStatus', { id, enabled: made % 2 === 0 });
  return { id, connection };
};

/** The keys that the topic holds once it is compacted. */
const keys = async (): Promise<ReadonlySet<string>> => {
  const held = new Set<string>();
  for (const { key, value } of await installation.records(TOPIC.configurationState))
    if (value === null) held.delete(key);
    else held.add(key);
  return held;
};

const report = (subject: HealthSubject, id: string, code: HealthCode) =>
  installation.command('ReportHealth', {
    subject,
    id: id as PipelineId,
    code,
    since: '2026-03-01T09:30:00.000Z' as Instant,
    objectVersion: 1,
  });

/** The ids of those, the health of which the topic holds. */
const healthsOf = async (made: { id: string; connection: string }): Promise<string[]> => {
  const held = await keys();
  return [made.id, made.connection].filter((id) => held.has(`health:${id}`));
};

const versionsOf = async (id: PipelineId): Promise<number[]> => {
  const held = await keys();
  return [1, 2, 3, 4, 5, 6, 7, 8].filter((version) => held.has(pipelineKey(id, version)));
};

const differences = async (): Promise<readonly unknown[]> =>
  (await verifyAudit(database, installation.log)).differences;

/** Resolves when a relay has done its chores, by which what was deleted so long ago is forgotten. */
const forget = async (deletedKeptMs: number): Promise<void> => {
  await installation.stop(service);
  const store = new PostgresEventStore(database.manager);
  const { databaseUrl, log } = installation;
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const relay = new RelayRunner({ databaseUrl, store, log, onError, deletedKeptMs });
  const done = jest.spyOn(Forgetting.prototype, 'done');
  relay.start();
  await eventually(() => done.mock.calls.length + errors.length > 0);
  await relay.stop();
  done.mockRestore();
  expect(errors).toEqual([]);
};

it('leaves the newest versions of a pipeline in the topic', async () => {
  const { id } = await pipelineOf(4);
  const other = await pipelineOf(7);
  await service.published();
  expect(await versionsOf(id)).toEqual([1, 2, 3, 4]);
  expect(await versionsOf(other.id)).toEqual([4, 5, 6, 7]);
  expect(await differences()).toEqual([]);
});

it('announces the versions that the topic does not hold to routers', async () => {
  const { id } = await pipelineOf(7);
  const client = new PipelineServiceClient({ log: installation.log, service: 'a router' });
  const history: HistorySource = readHistory(client);
  try {
    const all = await history.pipelineStates(id, 0, Number.MAX_SAFE_INTEGER);
    expect(all.map(({ state }) => state.version)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const [second, third] = [all[1]!, all[2]!];
    expect(await history.pipelineStates(id, second.position, third.position)).toEqual([second]);
    expect(await history.pipelineStates(id, 0, all[0]!.position)).toEqual([]);
    expect(await history.pipelineVersion(id, 3)).toEqual(third.state);
    expect(await history.pipelineVersion(id, 8)).toBeUndefined();
    expect(await history.pipelineVersion('none' as PipelineId, 1)).toBeUndefined();

    const replica = new RoutingReplica();
    await installation.follow(replica);
    await replica.waitFor(all.at(-1)!.position);
    expect(replica.pipelineVersion(id, 3)).toBeUndefined();
    expect(replica.pipelineVersion(id, 4)).toMatchObject({ version: 4 });
  } finally {
    await client.close();
  }
});

it('answers about a long history in parts', async () => {
  const { id } = await pipelineOf(43);
  const client = new PipelineServiceClient({ log: installation.log, service: 'a router' });
  try {
    const all = await readHistory(client).pipelineStates(id, 0, Number.MAX_SAFE_INTEGER);
    expect(all.map(({ state }) => state.version)).toEqual(
      Array.from({ length: 43 }, (_, index) => index + 1),
    );
  } finally {
    await client.close();
  }
});

describe('what was deleted', () => {
  it('leaves the topic once nobody can name it any more, and not before', async () => {
    const [gone, left] = [await pipelineOf(2), await pipelineOf(5)];
    for (const { id, connection } of [gone, left]) {
      await report('pipeline', id, 'ManyRejected');
      await report('connection', connection, 'AccessDenied');
    }
    await installation.command('DeleteConnection', { id: gone.connection });
    const { position } = await installation.recorded('UpdateConnection', {
      id: left.connection,
      name: 'Another name',
    });
    await service.published();
    await forget(3_600_000);
    expect(await versionsOf(gone.id)).toEqual([1, 2, 3]);
    expect(await keys()).toContain(`connection:${gone.connection}`);
    expect(await healthsOf(gone)).toHaveLength(2);
    expect(await differences()).toEqual([]);
    await forget(0);
    expect(await versionsOf(gone.id)).toEqual([]);
    expect(await keys()).not.toContain(`connection:${gone.connection}`);
    expect(await versionsOf(left.id)).toEqual([2, 3, 4, 5]);
    expect(await healthsOf(gone)).toEqual([]);
    expect(await healthsOf(left)).toHaveLength(2);
    expect(await keys()).toContain(`connection:${left.connection}`);
    expect(await differences()).toEqual([]);

    const replica = await installation.follow(new RoutingReplica());
    await replica.waitFor(position);
    expect(replica.connectionEver(gone.connection as ConnectionId)).toBeUndefined();
    expect(replica.pipelineHead(gone.id)).toBeUndefined();
    expect(replica.healths.get(gone.connection)).toBeUndefined();
    expect([...replica.healths.troubles()].map(({ id }) => id).sort()).toEqual(
      [left.id, left.connection].sort(),
    );
    expect(replica.pipeline(left.id)).toMatchObject({ version: 5 });
  });

  it('leaves the topic if it is an alert, and the audit finds no difference', async () => {
    const [gone, left] = [await anAlert(), await anAlert()];
    await installation.command('DeleteAlert', { id: gone });
    await installation.destination();
    await service.published();
    await forget(3_600_000);
    expect(await keys()).toContain(`alert:${gone}`);
    await forget(0);
    expect(await keys()).not.toContain(`alert:${gone}`);
    expect(await keys()).toContain(`alert:${left}`);
    expect(await differences()).toEqual([]);
    const replica = await installation.follow(new RoutingReplica());
    await eventually(() => replica.alerts.get(left) !== undefined);
    expect(replica.alerts.get(gone)).toBeUndefined();
  });

  const anAlert = async (): Promise<AlertId> => {
    const webhook = { url: 'https://example.com', signingSecret: 'a signing secret' };
    const { id } = await installation.command('CreateAlert', {
      id: newId() as AlertId,
      name: 'An alert',
      alertKind: 'health',
      connection: null,
      pipeline: null,
      threshold: null,
      webhook: installation.sealed(webhook),
    });
    return id;
  };

  it('is forgotten by who follows the topic too', async () => {
    const replica = await installation.follow(new RoutingReplica());
    const gone = await pipelineOf(2);
    const { position } = await installation.recorded('DeletePipeline', { id: gone.id });
    await replica.waitFor(position);
    expect(replica.pipelineHead(gone.id)).toMatchObject({ deleted: true });
    await forget(0);
    expect(await versionsOf(gone.id)).toEqual([1, 2, 3]);
    service = await installation.start();
    await installation.destination();
    await forget(0);
    const last = await pipelineOfRestarted();
    await replica.waitFor(last);
    expect(replica.pipelineHead(gone.id)).toBeUndefined();
    expect(replica.connection(gone.connection)).toBeDefined();
  });

  /** Something behind what was forgotten. */
  const pipelineOfRestarted = async (): Promise<number> => {
    service = await installation.start();
    const connection = await installation.destination();
    return (await installation.recorded('CreatePipeline', aPipeline(connection))).position;
  };
});

it('makes up for versions that were published before their deletion was', async () => {
  const { id } = await pipelineOf(7);
  const { id: other } = await pipelineOf(3);
  await service.published();
  const old = (await installation.records(TOPIC.configurationState)).filter(
    ({ key, value }) => key.startsWith('pipeline:') && value !== null,
  );
  await installation.log.append(
    TOPIC.configurationState,
    old.map(({ key, value }) => ({ key, value })),
  );
  expect(await versionsOf(id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await differences()).toEqual([]);
  await database.query(
    'UPDATE penstock.forgotten SET position = 0, versions_below = (SELECT position FROM penstock.head)',
  );
  await forget(0);
  expect(await versionsOf(id)).toEqual([4, 5, 6, 7]);
  expect(await versionsOf(other)).toEqual([1, 2, 3]);
  expect(await differences()).toEqual([]);
});

it('leaves no version behind that would bring a deleted pipeline back', async () => {
  const { id } = await pipelineOf(7);
  await installation.command('DeletePipeline', { id });
  await installation.destination();
  await service.published();
  const old = (await installation.records(TOPIC.configurationState)).filter(
    ({ key, value }) => key === pipelineKey(id, 2) && value !== null,
  );
  await installation.log.append(TOPIC.configurationState, old);
  await forget(0);
  expect(await versionsOf(id)).toEqual([]);
  const replica = await installation.follow(new RoutingReplica());
  await replica.waitFor(await installation.newest());
  expect(replica.pipeline(id)).toBeUndefined();
});

it('forgets again what a new log holds again', async () => {
  const { id } = await pipelineOf(2);
  await installation.command('DeletePipeline', { id });
  await installation.destination();
  await service.published();
  await forget(0);
  const [{ position }] = await database.query<[{ position: string }]>(
    'SELECT position FROM penstock.forgotten',
  );
  expect(Number(position)).toBeGreaterThan(0);
  const topic = await new Forgetting(database.manager, 0).next(Number(position));
  expect(topic.messages).toEqual([]);
  const forgetting = new Forgetting(database.manager, 0);
  await forgetting.restartAt(0);
  const { messages } = await forgetting.next(Number(position) + 1);
  expect(messages.map(({ key }) => key)).toContain(pipelineKey(id, 1));
  expect((await forgetting.next(1)).messages).toEqual([]);
});

it('is found by audit:verify when it goes too far', async () => {
  const { id, connection } = await pipelineOf(6);
  await service.published();
  await installation.log.append(TOPIC.configurationState, [
    { key: pipelineKey(id, 4), value: null },
    { key: `connection:${connection}`, value: null },
  ]);
  expect(await differences()).toEqual([
    { where: `configuration.state connection:${connection}`, what: expect.anything() as unknown },
    { where: `configuration.state pipeline:${id}@4`, what: expect.anything() as unknown },
  ]);
});
