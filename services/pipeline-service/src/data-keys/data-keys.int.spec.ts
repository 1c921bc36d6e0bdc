import {
  ConfigurationReplica,
  type DataKey,
  dataKeyKey,
  type OrganizationId,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import { PostgresEventStore } from '@penstock/event-sourcing';
import { PostgresMessageLog } from '@penstock/messaging';
import { KeyErased, newDataKey, newId, Seals } from '@penstock/runtime';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { verifyAudit } from '../audit/verify-audit';
import type { RunningPipelineService } from '../create-pipeline-service';
import { connectDatabase } from '../database/database';
import { RelayRunner } from '../relay/relay-runner';
import { eventually } from '../testing/eventually.fixture';
import { aWriteKey, Installation, SECRETS } from '../testing/installation.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let service: RunningPipelineService;
let database: DataSource;
let organization: OrganizationId;
let first: WorkspaceId;

beforeEach(async () => {
  installation = await Installation.open();
  service = await installation.start();
  ({ organization, workspace: first } = await installation.founded());
  database = await connectDatabase(installation.databaseUrl, () => undefined);
});

afterEach(async () => {
  await database.destroy();
  await installation.close();
});

const sql = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await installation.pool.query(text, values)).rows as Row[];

const rows = (): Promise<DataKey[]> =>
  sql<DataKey>('SELECT id, workspace, wrapped FROM penstock.data_keys ORDER BY workspace');

const make = async (): Promise<WorkspaceId> => {
  const id = newId() as WorkspaceId;
  const command = { id, name: 'Shop', warehouse: installation.newWarehouse(id) };
  await installation.command('CreateWorkspace', command, { organization });
  return id;
};

/** Creates a connection of each role in a workspace. */
const fill = async (workspace: WorkspaceId): Promise<void> => {
  const context = { organization, workspace };
  const settings = installation.sealed({ userCount: 3 }, workspace);
  await installation.destination({ settings }, context);
  const connection = await installation.source({}, context);
  const key = aWriteKey(workspace);
  await installation.command('CreateEventWriteKey', { connection, key }, context);
};

const remove = (id: WorkspaceId) =>
  installation.recorded('DeleteWorkspace', { id }, { organization });

const differences = async (): Promise<string[]> => {
  const verification = await verifyAudit(database, installation.log);
  return verification.differences.map(({ where, what }) => `${where} ${what}`);
};

/** The records of the workspace's key on the topic, oldest first. */
const published = async (workspace: WorkspaceId): Promise<(string | null)[]> => {
  const records = await installation.records(TOPIC.configurationState);
  return records.filter(({ key }) => key === dataKeyKey(workspace)).map(({ value }) => value);
};

/** The key as it was last published; undefined after a tombstone or without a record. */
const lastPublished = async (workspace: WorkspaceId): Promise<unknown> => {
  const value = (await published(workspace)).at(-1);
  return value == null ? undefined : (JSON.parse(value) as { dataKey: DataKey }).dataKey;
};

const wholeReplica = async (): Promise<ConfigurationReplica> => {
  const replica = new ConfigurationReplica();
  for (const record of await installation.records(TOPIC.configurationState)) replica.take(record);
  return replica;
};

/** The text of everything that is stored for ever or read by queries. */
const storedText = async (): Promise<string> => {
  const tables = ['facts', 'connections', 'warehouses', 'replies', 'workspaces'];
  const found = await Promise.all(
    tables.map((table) => sql(`SELECT to_json(t)::text AS text FROM penstock.${table} t`)),
  );
  return JSON.stringify([found, await installation.records(TOPIC.configuration)]);
};

it('a workspace has its key from its first fact on, and the key is published before it', async () => {
  const id = await make();
  await service.published();
  const keys = await rows();
  expect(keys.map(({ workspace }) => workspace)).toEqual([first, id].sort());
  const records = await installation.records(TOPIC.configurationState);
  for (const key of keys) {
    expect(await lastPublished(key.workspace)).toEqual(key);
    const [[keyAt = -1] = [], [stateAt = -1] = []] = [
      dataKeyKey(key.workspace),
      `workspace:${key.workspace}`,
    ].map((wanted) => records.flatMap((record, at) => (record.key === wanted ? [at] : [])));
    expect(keyAt).toBeGreaterThanOrEqual(0);
    expect(keyAt).toBeLessThan(stateAt);
  }
});

it('PENSTOCK_SECRET alone opens no stored secret, whatever was sent, and no key is stored in plain text', async () => {
  const id = await make();
  await fill(id);
  await service.published();
  const text = await storedText();
  expect(text).toMatch(/"v2:|\\"v2:/);
  expect(text).not.toContain('v1:');
  for (const { wrapped } of await rows()) expect(text).not.toContain(wrapped);
});

it('stored secrets open with the replica of another process', async () => {
  const id = await make();
  await fill(id);
  await service.published();
  const replica = await wholeReplica();
  const seals = new Seals(SECRETS, (workspace) => replica.dataKey(workspace));
  const connections = replica.connectionsOf(id);
  expect(connections).toHaveLength(2);
  const settings = connections.map((each) => seals.open(each.settings, id));
  expect(settings.join()).toContain('"userCount":3');
  const [writeKey, another] = connections.flatMap(({ writeKeys }) => writeKeys);
  expect(SECRETS.keyedHash(seals.open(writeKey?.sealed ?? '', id))).toBe(writeKey?.hash);
  expect(SECRETS.keyedHash(seals.open(another?.sealed ?? '', id))).toBe(another?.hash);
});

it('a write key that cannot be opened is recorded in no fact', async () => {
  const connection = await installation.source();
  const key = { hash: 'h', sealed: 'v1:AAAA' };
  await expect(
    installation.command('CreateEventWriteKey', { connection, key }),
  ).rejects.toMatchObject({ code: 'InternalError' });
  const strange = { hash: 'h', sealed: aWriteKey(await make()).sealed };
  await expect(
    installation.command('CreateEventWriteKey', { connection, key: strange }),
  ).rejects.toMatchObject({ code: 'InternalError' });
});

describe('the key of a deleted workspace', () => {
  let id: WorkspaceId;

  beforeEach(async () => {
    id = await make();
    await fill(id);
  });

  it('is erased: the facts stay and can be replayed, and their secrets cannot be opened', async () => {
    const before = await storedText();
    const { position } = await remove(id);
    await service.published();

    expect((await rows()).map(({ workspace }) => workspace)).toEqual([first]);
    expect(await lastPublished(id)).toBeUndefined();
    const replica = await wholeReplica();
    expect(replica.seen).toBe(position);
    expect(replica.dataKey(id)).toBeUndefined();
    expect(replica.dataKey(first)).toBeDefined();

    const seals = new Seals(SECRETS, (workspace) => replica.dataKey(workspace));
    const { facts } = await installation.query(
      'ListFacts',
      { limit: 100, cursor: '', ofOrganization: false },
      { organization, workspace: id },
    );
    expect(facts.map(({ type }) => type)).toContain('ConnectionCreated');
    const sealed = JSON.stringify(facts).match(/v2:[\w:-]+/g) ?? [];
    expect(sealed.length).toBeGreaterThan(3);
    for (const text of sealed) {
      expect(before).toContain(text);
      expect(() => seals.open(text, id)).toThrow(KeyErased);
    }
    expect(await differences()).toEqual([]);
  });

  it('is no longer used by a service that has used it', async () => {
    await remove(id);
    await expect(
      installation.query('TestWarehouse', installation.newWarehouse(id), {
        organization,
        workspace: id,
      }),
    ).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
  });

  it('is removed from the log by compaction', async () => {
    const { wrapped } = (await rows()).find(({ workspace }) => workspace === id) ?? {};
    const onLog = () =>
      sql(`SELECT FROM penstock_log.messages WHERE value LIKE $1`, `%${wrapped}%`);
    expect(wrapped).toMatch(/^v1:/);
    await service.published();
    expect(await onLog()).not.toEqual([]);
    await remove(id);
    await service.published();
    await (installation.log as PostgresMessageLog).maintain({ compactsNow: true });
    expect(await onLog()).toEqual([]);
    expect(await differences()).toEqual([]);
  });
});

describe('a change whose process dies halfway', () => {
  const facts = (type: string) => sql('SELECT FROM penstock.facts WHERE type = $1', type);

  /** Ends the session that has written the key and waits for the view, as the death of its process would. */
  const dieWriting = async (blocker: PoolClient): Promise<void> => {
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE penstock.workspaces IN SHARE MODE');
    await eventually(async () => {
      const killed = await sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND application_name = 'penstock-pipeline-service' AND query ~ 'penstock.*workspaces'`,
      );
      return killed.length > 0;
    });
  };

  it.each([
    ['making', 'WorkspaceCreated', 1],
    ['deleting', 'WorkspaceDeleted', -1],
  ] as const)('%s a workspace: nothing of it is there, then all', async (what, type, more) => {
    const there = await make();
    const id = newId() as WorkspaceId;
    const context = { organization, commandId: newId() };
    const change = (): Promise<unknown> =>
      what === 'making'
        ? installation.command(
            'CreateWorkspace',
            { id, name: 'Shop', warehouse: installation.newWarehouse(id) },
            context,
          )
        : installation.command('DeleteWorkspace', { id: there }, context);
    const [keys, recorded] = [await rows(), await facts(type)];
    const blocker = await installation.pool.connect();
    let ended: Promise<unknown> | undefined;
    try {
      const dying = dieWriting(blocker);
      ended = change().catch(() => undefined);
      await dying;
      expect(await rows()).toEqual(keys);
      expect(await facts(type)).toHaveLength(recorded.length);
      await blocker.query('ROLLBACK');
    } finally {
      blocker.release();
    }
    // The process of this test is still there to clean up after its session, or to try again.
    await ended;
    await change();
    expect(await rows()).toHaveLength(keys.length + more);
    expect(await facts(type)).toHaveLength(recorded.length + 1);
    expect(await differences()).toEqual([]);
  });
});

describe('an installation without data keys, of an older version', () => {
  it('gets them at its next start; older secrets still open, changed ones are sealed under the data key', async () => {
    const id = await installation.destination({ connector: 'dummy' });
    const old = installation.sealed({ userCount: 5 });
    await sql('DELETE FROM penstock.data_keys');
    await sql(
      `UPDATE penstock.connections SET state = (state::jsonb || jsonb_build_object('settings', $1::text))::json`,
      old,
    );
    await expect(installation.source()).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
    await installation.start();
    const [key] = await rows();
    expect(key?.workspace).toBe(first);
    const { source } = await installation.query('GetUserSchemas', { connection: id });
    expect(source).toMatch(/./);
    await installation.source();
    await installation.start();
    expect(await rows()).toEqual([key]);
  });
});

describe('a data key', () => {
  it('is published again when a relay starts, over the late records of an earlier relay', async () => {
    const id = await make();
    await remove(id);
    await installation.stop(service);
    const late = { dataKey: newDataKey(SECRETS, id) };
    const message = { key: dataKeyKey(id), value: JSON.stringify(late) };
    await installation.log.append(TOPIC.configurationState, [message]);
    expect(await lastPublished(id)).toEqual(late.dataKey);
    await installation.start();
    await eventually(async () => (await lastPublished(id)) === undefined);
    expect(await lastPublished(first)).toEqual((await rows())[0]);
  });

  it('is published again from time to time, also when nothing changes', async () => {
    await installation.stop(service);
    const before = (await published(first)).length;
    const relay = new RelayRunner({
      databaseUrl: installation.databaseUrl,
      store: new PostgresEventStore(database.manager),
      log: installation.log,
      onError: () => undefined,
      deletedKeptMs: 3_600_000,
      choresPeriodMs: 200,
    });
    relay.start();
    try {
      await eventually(async () => (await published(first)).length >= before + 3);
    } finally {
      await relay.stop();
    }
    expect(new Set(await published(first)).size).toBe(1);
  });
});

describe('audit:verify finds', () => {
  it('a workspace without its key, and the key of a workspace that does not exist', async () => {
    const [key] = await rows();
    expect(await differences()).toEqual([]);
    await sql(`UPDATE penstock.data_keys SET workspace = 'nowhere'`);
    expect((await differences()).sort()).toEqual([
      `${TOPIC.configurationState} data-key:${first} should not be there`,
      `${TOPIC.configurationState} data-key:nowhere is missing`,
      `penstock.data_keys ${first} is missing`,
      'penstock.data_keys nowhere should not be there',
    ]);
    await sql('UPDATE penstock.data_keys SET workspace = $1, wrapped = $2', first, 'v1:other');
    expect(await differences()).toEqual([
      `${TOPIC.configurationState} data-key:${first} differs in wrapped`,
    ]);
    expect(key?.wrapped).not.toBe('v1:other');
  });

  it('an erased key that is on the topic again', async () => {
    const id = await make();
    await service.published();
    const [value] = await published(id);
    await remove(id);
    await service.published();
    expect(await differences()).toEqual([]);
    await installation.log.append(TOPIC.configurationState, [
      { key: dataKeyKey(id), value: value ?? '' },
    ]);
    expect(await differences()).toEqual([
      `${TOPIC.configurationState} data-key:${id} should not be there`,
    ]);
  });
});
