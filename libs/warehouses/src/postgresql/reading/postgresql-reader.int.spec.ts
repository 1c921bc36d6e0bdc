import type { ConnectionId, WorkspaceId } from '@penstock/contracts';
import { sharedOldPostgres } from '@penstock/test-servers';
import { type Json, JsonNumber } from '@penstock/schema';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type {
  IdentitiesPage,
  IdentityPlace,
  StoredIdentity,
  WarehouseReader,
} from '../../platform/warehouse-reader';
import {
  CONNECTION,
  MINE,
  OPTIONS,
  PIPELINE,
  said,
} from '../../platform/warehouse-writer.contract';
import { LAYOUT } from '../layout/marker';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';

jest.setTimeout(60_000);

/** 2026-03-01T09:30:00Z in microseconds. */
const TIME_US = 1_772_357_400_000_000n;
const CONNECTIONS = 2;

let old: string | undefined;
let written: WrittenStage;
let reader: WarehouseReader;
let end: AbortController;

const open = (
  workspace: WorkspaceId = MINE,
  changes: Readonly<Record<string, Json>> = {},
  epoch = 1,
) =>
  written.stage.reader(
    written.loader,
    { workspace, epoch, connections: CONNECTIONS },
    end.signal,
    changes,
  );

beforeAll(async () => {
  old = await sharedOldPostgres();
});

const openOn = async (server?: string): Promise<void> => {
  written = await writtenStage(MINE, server);
  end = new AbortController();
  reader = await open();
};
afterEach(async () => {
  end.abort();
  await written.close();
});

const run = (...statements: readonly string[]) =>
  written.stage.run(`SET search_path = ${SCHEMA}`, ...statements);

/** Identities `u<from>` to `u<to>`, each updated a microsecond after the one before. */
const add = (from: number, to: number, connection: string = CONNECTION) =>
  run(`INSERT INTO _identities (_connection, _pipeline, _record_id, _anonymous, _updated_at)
       SELECT '${connection}', '${PIPELINE}', 'u' || n, false, '2026-03-01T09:30Z'::timestamptz + n * interval '1 microsecond'
       FROM generate_series(${from}, ${to}) AS n`);

const page = (limit: number, after?: IdentityPlace, signal = AbortSignal.timeout(20_000)) =>
  reader.identities({ of: { connection: CONNECTION }, limit, after }, signal);

const ids = ({ identities }: IdentitiesPage) => identities.map(({ recordId }) => recordId);

const pages = async (limit: number, between?: () => Promise<void>): Promise<StoredIdentity[][]> => {
  const found: StoredIdentity[][] = [];
  let isLast = false;
  for (let after: IdentityPlace | undefined; !isLast; after = found.at(-1)?.at(-1)?.place) {
    const read = await page(limit, after);
    found.push([...read.identities]);
    ({ isLast } = read);
    await between?.();
  }
  return found;
};

const fault = (kind: string, message: string) => ({
  kind,
  message: expect.stringContaining(message) as string,
});

const isFoundForThisMachine = process.platform === 'linux' && process.arch === 'x64';
const SERVERS = [
  { on: 'the present PostgreSQL', server: () => undefined },
  ...(isFoundForThisMachine ? [{ on: 'PostgreSQL 13', server: () => old }] : []),
];

describe.each(SERVERS)('the identities of a connection on $on', ({ server }) => {
  beforeEach(() => openOn(server()));

  it('are what writers have written', async () => {
    const writer = await written.open(OPTIONS);
    const session = await writer.begin({ role: 'events', epoch: 1 });
    await session.write({
      ...{ pipeline: PIPELINE, connection: CONNECTION },
      updates: [
        said('ada', TIME_US + 2n, {}, { anonymousId: 'b' }),
        said('ada', TIME_US + 1n, {}, { anonymousId: 'a' }),
        said('x', TIME_US, {}, { anonymous: true }),
      ],
    });
    await writer.close();
    await run(
      `UPDATE _identities SET _profile_id = 'c0ffee00-0000-4000-8000-000000000001' WHERE _anonymous`,
    );
    const common = { connection: CONNECTION, pipeline: PIPELINE, profile: null };
    const { identities, isLast } = await page(10);
    // Which of one batch was made last is not said.
    const sorted = [...identities].sort((one, other) => (one.recordId < other.recordId ? -1 : 1));
    expect({ isLast, sorted }).toEqual({
      isLast: true,
      sorted: [
        {
          ...common,
          place: expect.stringMatching(/^\d$/) as string,
          updatedAt: '2026-03-01T09:30:00.000002Z',
          ...{ recordId: 'ada', anonymous: false, anonymousIds: ['a', 'b'] },
        },
        {
          ...common,
          place: expect.stringMatching(/^\d$/) as string,
          updatedAt: '2026-03-01T09:30:00.000000Z',
          ...{ recordId: 'x', anonymous: true, anonymousIds: [] },
          profile: 'c0ffee00-0000-4000-8000-000000000001',
        },
      ],
    });
  });

  it('are none of other connections', async () => {
    await add(1, 3, 'another');
    expect(await page(10)).toEqual({ identities: [], isLast: true });
    const other = { of: { connection: 'another' as ConnectionId }, limit: 10 };
    expect(ids(await reader.identities(other, end.signal))).toEqual(['u3', 'u2', 'u1']);
    const quoted = { of: { connection: `another' OR '' = '` as ConnectionId }, limit: 10 };
    expect(ids(await reader.identities(quoted, end.signal))).toEqual([]);
  });

  it.each([4, 5, 6])('are whole in pages of %i, the newest first', async (limit) => {
    await add(1, 5);
    const found = await pages(limit);
    expect(found.flat().map(({ recordId }) => recordId)).toEqual(['u5', 'u4', 'u3', 'u2', 'u1']);
    expect(found).toHaveLength(limit < 5 ? 2 : 1);
  });

  it('are neither doubled nor left out while others are written', async () => {
    await add(1, 100);
    let next = 1_000;
    const found = await pages(7, async () => {
      await add(next, next + 20);
      next += 100;
    });
    expect(found.flat().map(({ recordId }) => recordId)).toEqual(
      Array.from({ length: 100 }, (_, at) => `u${100 - at}`),
    );
  });

  it('that are updated between two pages keep their places', async () => {
    await add(1, 6);
    const first = await page(2);
    await run(`UPDATE _identities SET _updated_at = now() WHERE _record_id IN ('u3', 'u5')`);
    const second = await page(10, first.identities.at(-1)?.place);
    expect([...ids(first), ...ids(second)]).toEqual(['u6', 'u5', 'u4', 'u3', 'u2', 'u1']);
  });

  it.each([499, 500, 501])('have the first 500 of %i anonymous ids', async (many) => {
    await add(1, 1);
    await run(
      `UPDATE _identities SET _anonymous_ids = (SELECT array_agg('a' || n ORDER BY n) FROM generate_series(1, ${many}) AS n)`,
    );
    const { identities } = await page(1);
    expect(identities[0]?.anonymousIds).toHaveLength(Math.min(many, 500));
    expect(identities[0]?.anonymousIds[0]).toBe('a1');
  });

  it.each([99, 100, 101])('have the first 100,000 bytes of %i anonymous ids', async (many) => {
    await add(1, 1);
    await run(
      `UPDATE _identities SET _anonymous_ids = array_fill(repeat('é', 500), ARRAY[${many}])`,
    );
    expect((await page(1)).identities[0]?.anonymousIds).toHaveLength(Math.min(many, 100));
  });

  it('come in shorter pages when they are large', async () => {
    await add(1, 8);
    await run(`UPDATE _identities SET _anonymous_ids = array_fill(repeat('x', 1000), ARRAY[300])`);
    const found = await pages(8);
    expect(found.map((each) => each.length)).toEqual([6, 2]);
  });

  it('of a profile are listed in the same way', async () => {
    const mine = 'c0ffee00-0000-4000-8000-000000000001';
    await add(1, 6);
    await add(7, 9, 'another');
    await run(
      `UPDATE _identities SET _profile_id = '${mine}' WHERE _record_id IN ('u2', 'u4', 'u6', 'u8')`,
      `UPDATE _identities SET _profile_id = 'c0ffee00-0000-4000-8000-000000000002' WHERE _record_id = 'u9'`,
    );
    const read = (limit: number, after?: IdentityPlace, profile = mine) =>
      reader.identities({ of: { profile }, limit, after }, AbortSignal.timeout(20_000));
    const first = await read(3);
    expect(first).toMatchObject({ isLast: false });
    expect(ids(first)).toEqual(['u8', 'u6', 'u4']);
    expect(first.identities[0]).toMatchObject({ connection: 'another', profile: mine });
    const second = await read(3, first.identities.at(-1)?.place);
    expect({ isLast: second.isLast, ids: ids(second) }).toEqual({ isLast: true, ids: ['u2'] });
    const nobody = 'c0ffee00-0000-4000-8000-000000000003';
    expect(await read(3, undefined, nobody)).toEqual({ identities: [], isLast: true });
  });

  it('are read by an index, page by page, whatever the statistics say', async () => {
    await run('ALTER TABLE _identities SET (autovacuum_enabled = false)');
    await add(1, 20_000);
    const read = async () => {
      await run('SELECT pg_stat_clear_snapshot()');
      const [row] = await written.stage.rows(
        `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relid = '${SCHEMA}._identities'::regclass)::int AS indexed,
                (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relid = '${SCHEMA}._identities'::regclass)::int AS scanned`,
      );
      return row as { indexed: number; scanned: number };
    };
    const before = await read();
    const first = await page(100);
    await page(100, first.identities.at(-1)?.place);
    await page(100, '10000');
    end.abort();
    // What a session has read is known when it has ended.
    for (let tries = 0; (await read()).indexed < before.indexed + 303 && tries < 100; tries += 1)
      await setTimeout(50);
    const after = await read();
    // What sessions of earlier tests have read of their few rows may become known now.
    expect(after.indexed - before.indexed).toBeGreaterThanOrEqual(303);
    expect(after.indexed - before.indexed).toBeLessThan(1_000);
    expect(after.scanned - before.scanned).toBeLessThan(1_000);
  });
});

describe('a reader', () => {
  beforeEach(() => openOn());

  it('cannot write, whatever a statement calls', async () => {
    await run(
      'ALTER TABLE _identities RENAME TO kept',
      `CREATE FUNCTION writing() RETURNS bigint LANGUAGE sql AS 'INSERT INTO ${SCHEMA}._fences (role, epoch) VALUES (''x'', 1) RETURNING epoch'`,
      `CREATE VIEW _identities AS SELECT writing() AS _id, '${CONNECTION}' AS _connection, '' AS _pipeline, '' AS _record_id, false AS _anonymous,
              ARRAY[]::text[] AS _anonymous_ids, NULL::uuid AS _profile_id, now() AS _updated_at`,
      `GRANT ALL ON _identities, _fences TO ${written.loader}`,
    );
    await expect(page(1)).rejects.toMatchObject(
      fault('unusable', 'cannot execute INSERT in a read-only transaction'),
    );
    expect(await written.stage.rows(`SELECT FROM ${SCHEMA}._fences`)).toEqual([]);
  });

  it('reads nothing of another workspace, of a newer layout, or without a marker', async () => {
    await add(1, 1);
    const other = await open('workspace0000002' as WorkspaceId);
    const wanted = { of: { connection: CONNECTION }, limit: 1 };
    await expect(other.identities(wanted, end.signal)).rejects.toMatchObject({ kind: 'foreign' });
    await run(`UPDATE _meta SET layout = ${LAYOUT + 1}`);
    await expect(page(1)).rejects.toMatchObject({ kind: 'newer' });
    await run(`UPDATE _meta SET layout = 2`);
    expect(ids(await page(1))).toEqual(['u1']);
    await run('DELETE FROM _meta');
    await expect(page(1)).rejects.toMatchObject(fault('unusable', 'no marker'));
  });

  describe('when readers are kept out', () => {
    const keepOut = (epoch: number, graceMs: number) =>
      written.stage.as(written.loader, (warehouse) =>
        warehouse.keepReadersOut(MINE, { epoch, graceMs }),
      );
    const waiting = async (count: number): Promise<void> => {
      const text = `SELECT FROM pg_locks WHERE NOT granted
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      while ((await written.stage.rows(text)).length < count) await setTimeout(20);
    };
    const fenced = { kind: 'fenced' };
    const GRACE_MS = 300;

    it('those of earlier epochs read nothing any more', async () => {
      await add(1, 1);
      await keepOut(2, GRACE_MS);
      await expect(page(1)).rejects.toMatchObject(fenced);
      const later = await open(MINE, {}, 2);
      const wanted = { of: { connection: CONNECTION }, limit: 1 };
      expect(ids(await later.identities(wanted, end.signal))).toEqual(['u1']);
      await keepOut(1, GRACE_MS);
      await expect(page(1)).rejects.toMatchObject(fenced);
      expect(ids(await later.identities(wanted, end.signal))).toEqual(['u1']);
    });

    it('those that read have time to end, and those behind them see it', async () => {
      await add(1, 1);
      await run('BEGIN', 'LOCK TABLE _identities');
      const reading = page(1);
      await waiting(1);
      let isOut = false;
      const keeping = keepOut(2, 60_000).then(() => (isOut = true));
      await waiting(2);
      const behind = page(1);
      await setTimeout(200);
      expect(isOut).toBe(false);
      await run('COMMIT');
      expect(ids(await reading)).toEqual(['u1']);
      await expect(behind).rejects.toMatchObject(fenced);
      await keeping;
    });

    it('those that go on for longer are ended, and no others', async () => {
      await add(1, 1);
      await run('BEGIN', 'LOCK TABLE _identities');
      const reading = page(1);
      await waiting(1);
      await keepOut(2, GRACE_MS);
      await expect(reading).rejects.toMatchObject({ kind: 'unreachable' });
      await run('COMMIT');
      const later = await open(MINE, {}, 2);
      const wanted = { of: { connection: CONNECTION }, limit: 1 };
      expect(ids(await later.identities(wanted, end.signal))).toEqual(['u1']);
    });
  });

  it('names what is missing, and what no writer has written', async () => {
    await add(1, 1);
    await run(`UPDATE _identities SET _updated_at = 'infinity'`);
    await expect(page(1)).rejects.toMatchObject(fault('unusable', 'does not fit: updatedAt'));
    await run('DROP TABLE _identities CASCADE');
    await expect(page(1)).rejects.toMatchObject(fault('unusable', 'does not exist'));
  });

  it.each([
    [7, ''],
    [9, 'more than 8 MiB'],
  ])('takes an answer of %i MiB only if it is not too large', async (mib, message) => {
    await run(
      'ALTER TABLE _identities DROP CONSTRAINT _identities__pipeline__anonymous__record_id_key',
    );
    await add(1, 1);
    await run(`UPDATE _identities SET _record_id = repeat('x', ${mib} * 1048576)`);
    if (message === '') expect((await page(1)).identities).toHaveLength(1);
    else await expect(page(1)).rejects.toMatchObject(fault('unusable', message));
    await run('DELETE FROM _identities');
    expect((await page(1)).identities).toEqual([]);
  });

  const sessions = async () => {
    await run('SELECT pg_stat_clear_snapshot()');
    return (await written.stage.rows(
      `SELECT pid, state, wait_event_type AS wait FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'penstock-warehouse'`,
    )) as readonly { pid: number; wait: string | null }[];
  };
  const untilSessions = async (count: number) => {
    for (let tries = 0; (await sessions()).length !== count && tries < 1_500; tries += 1)
      await setTimeout(10);
    return sessions();
  };

  it('gives up a statement that takes too long, and so does the server', async () => {
    await run('BEGIN', 'LOCK TABLE _identities IN ACCESS EXCLUSIVE MODE');
    await expect(page(1, undefined, AbortSignal.timeout(500))).rejects.toMatchObject(
      fault('unreachable', 'there was no answer in time'),
    );
    expect(await untilSessions(0)).toEqual([]);
    await run('COMMIT');
    expect(await page(1)).toMatchObject({ isLast: true });
  });

  it('does not begin what is given up already', async () => {
    await expect(page(1, undefined, AbortSignal.abort())).rejects.toMatchObject({
      kind: 'unreachable',
    });
  });

  it('says that there was no answer when the server has ended a statement', async () => {
    await run('BEGIN', 'LOCK TABLE _identities IN ACCESS EXCLUSIVE MODE');
    const reading = page(1);
    reading.catch(() => undefined);
    for (
      let tries = 0;
      !(await sessions()).some(({ wait }) => wait === 'Lock') && tries < 500;
      tries += 1
    )
      await setTimeout(10);
    for (const { pid } of await sessions()) await run(`SELECT pg_cancel_backend(${pid})`);
    await expect(reading).rejects.toMatchObject(fault('unreachable', 'no answer in time'));
    await run('ROLLBACK');
  });

  it('has a few connections, which are closed when they are not used', async () => {
    await run('BEGIN', 'LOCK TABLE _identities IN ACCESS EXCLUSIVE MODE');
    const asked = [1, 2, 3].map(() => page(1));
    expect(await untilSessions(CONNECTIONS)).toHaveLength(CONNECTIONS);
    await setTimeout(200);
    expect(await sessions()).toHaveLength(CONNECTIONS);
    await run('COMMIT');
    expect(await Promise.all(asked)).toHaveLength(3);
    expect(await untilSessions(0)).toEqual([]);
    expect(await page(1)).toMatchObject({ isLast: true });
  });

  it('gives up a server that falls silent once it has refused something', async () => {
    await run('DROP TABLE _identities CASCADE');
    const port = written.stage.settings(written.loader).get('port') as JsonNumber;
    const sockets: Socket[] = [];
    const silent = createServer((near) => {
      const far = connect(Number(port.text), '127.0.0.1');
      sockets.push(near, far);
      for (const each of [near, far]) each.on('error', () => undefined);
      near.pipe(far);
      let isSilent = false;
      far.on('data', (data) => {
        if (!isSilent) near.write(data);
        isSilent ||= data.includes('does not exist');
      });
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const behind = new JsonNumber(String((silent.address() as AddressInfo).port));
    try {
      const hostile = await open(MINE, { port: behind });
      const wanted = { of: { connection: CONNECTION }, limit: 1 };
      const begun = Date.now();
      await expect(hostile.identities(wanted, AbortSignal.timeout(20_000))).rejects.toMatchObject(
        fault('unusable', 'does not exist'),
      );
      expect(Date.now() - begun).toBeGreaterThanOrEqual(4_900);
    } finally {
      for (const each of sockets) each.destroy();
      silent.close();
    }
  });

  it('ends with its signal', async () => {
    await page(1);
    end.abort();
    expect(await untilSessions(0)).toEqual([]);
    await expect(page(1)).rejects.toMatchObject({ kind: 'unreachable' });
  });
});
