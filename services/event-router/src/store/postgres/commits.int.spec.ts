import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { baseKey, countKey, type PartitionChanges } from '../changes';
import {
  acquired,
  AUDIENCE,
  changesOf,
  HASH,
  LANE,
  openDelivery,
  OTHER_PIPELINE,
  outcomeRecord,
  PIPELINE,
  storedDelivery,
} from '../contract/changes.fixture';
import { CommitRefused, type LeaseGrant } from '../router-store';
import { Audiences } from './commit/audiences';
import { Commits } from './commit/commits';
import { HeldDatabase } from './held-database.fixture';
import { Database } from './sql/database';
import { StoredDeliveries } from './stored-deliveries';
import { StoreDatabase } from './store-harness.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
const makeNothing = () => Promise.resolve();
const delivered = countKey(PIPELINE, { state: 'Delivered', step: 'Finalize', code: '' }, 0);

const AUDIENCE_OF_ONE = { id: AUDIENCE, enabled: [PIPELINE], disabled: [] };

/** A store whose audience was written by an earlier commit. */
const opened = async (member: string) => {
  const store = await database.open(member);
  await new Audiences(new Database(database.pool)).write([AUDIENCE_OF_ONE]);
  return store;
};

/** The same commit, in a form that takes one statement, and in one that takes several. */
const plain = (): Partial<PartitionChanges> => ({
  open: [openDelivery()],
  counts: new Map([[delivered, 1]]),
  audiences: [AUDIENCE_OF_ONE],
  bases: new Map([[baseKey(AUDIENCE, 'New', 0), 1]]),
  messages: new Map([[HASH, { digest: 'digest', offset: 0 }]]),
  outcomes: [outcomeRecord()],
});
const withRows = (): Partial<PartitionChanges> => ({ ...plain(), stored: [storedDelivery()] });

const delivereds = async (): Promise<number> => {
  const { counts } = await database.stored();
  return counts.find(({ state }) => state === 'Delivered')?.count ?? 0;
};

describe('a commit that is still under way while it is repeated', () => {
  it.each([
    ['one statement', plain],
    ['several statements', withRows],
  ])('delays the repetition and is applied once, as %s', async (_, given) => {
    const store = await opened('one');
    const changes = [changesOf(await acquired(store), 1, given())];
    const held = new HeldDatabase(database.pool);
    const first = new Commits(held, makeNothing).commit(changes);
    await held.held;
    const repeated = store.commit(changes);
    await database.untilSomeoneWaits();
    held.commit();
    expect(await Promise.all([first, repeated])).toEqual([[], []]);
    expect(await delivereds()).toBe(1);
    expect((await database.stored()).outcomes).toHaveLength(1);
    expect(await database.rows('SELECT FROM penstock_router.messages')).toHaveLength(1);
    expect(await database.rows('SELECT FROM penstock_router.changes')).toHaveLength(1);
  });

  it.each([
    ['one statement', plain],
    ['several statements', withRows],
  ])('is applied by the repetition when it fails, as %s', async (_, given) => {
    const store = await opened('one');
    const grant = await acquired(store);
    const changes = [changesOf(grant, 1, given())];
    const held = new HeldDatabase(database.pool);
    const first = new Commits(held, makeNothing).commit(changes);
    await held.held;
    const repeated = store.commit(changes);
    await database.untilSomeoneWaits();
    held.rollBack();
    await expect(first).rejects.toThrow('rolled back by the test');
    expect(await repeated).toEqual([]);
    expect(await delivereds()).toBe(1);
    expect((await store.restore(grant)).open).toEqual([openDelivery()]);
  });

  it('delays the next owner, who restores its result', async () => {
    const [store, other] = [await opened('one'), await opened('other')];
    const grant = await acquired(store);
    await store.release([grant]);
    const held = new HeldDatabase(database.pool);
    const late = new Commits(held, makeNothing).commit([changesOf(grant, 1, plain())]);
    await held.held;
    const acquiring = acquired(other);
    await database.untilSomeoneWaits();
    held.commit();
    expect(await late).toEqual([]);
    expect((await other.restore(await acquiring)).open).toEqual([openDelivery()]);
  });
});

it('rejects a commit whose session is terminated, and applies each commit once', async () => {
  const store = await database.open('one');
  const grant = await acquired(store);
  const endSessions = async (): Promise<void> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    await client.end();
  };
  const commit = async (changes: PartitionChanges): Promise<void> => {
    for (;;)
      try {
        await store.commit([changes]);
        return;
      } catch {
        await sleep(1);
      }
  };
  for (let round = 0; round < 10; round += 1) {
    const ending = endSessions();
    for (let at = 1; at <= 20; at += 1)
      await commit(
        changesOf(grant, round * 20 + at, {
          counts: new Map([[delivered, 1]]),
          stored: at % 2 === 0 ? [] : [storedDelivery({ offset: round * 20 + at })],
        }),
      );
    await ending;
  }
  expect((await store.restore(grant)).sequence).toBe(200);
  expect(await delivereds()).toBe(200);
  expect((await database.stored()).rows).toHaveLength(100);
});

it('lets routers commit, renew and acquire concurrently, in any order of partitions', async () => {
  const [one, other] = [await database.open('one'), await database.open('other')];
  const grants = { one: await one.acquire([0, 1, 2, 3]), other: await other.acquire([4, 5, 6, 7]) };
  for (let round = 1; round <= 60; round += 1) {
    const audiences = Array.from({ length: 30 }, (_, at) => ({
      id: `00000000-0000-4000-8000-${String(round * 100 + at).padStart(12, '0')}`,
      enabled: [PIPELINE],
      disabled: [],
    }));
    const changes = (held: readonly LeaseGrant[], named: typeof audiences) =>
      held.map((grant) =>
        changesOf(grant, round, {
          audiences: named,
          bases: new Map(named.map(({ id }) => [baseKey(id, 'New', 0), 1])),
          counts: new Map([[delivered, 1]]),
        }),
      );
    const forwards = changes(grants.one, audiences);
    const backwards = changes(grants.other, audiences.toReversed()).toReversed();
    const answers = await Promise.all([
      one.commit(forwards),
      other.commit(backwards),
      one.renew(grants.one.toReversed()),
      other.renew(grants.other),
      other.acquire([3, 2, 1, 0]),
      one.acquire([7, 5, 6, 4]),
    ]);
    expect(answers.map(({ length }) => length)).toEqual([0, 0, 4, 4, 0, 0]);
  }
  expect(await delivereds()).toBe(480);
});

describe('values that the database refuses', () => {
  const refused = async (given: Partial<PartitionChanges>): Promise<unknown> => {
    const store = await database.open('one');
    const error: unknown = await store.commit([changesOf(await acquired(store), 1, given)]).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(CommitRefused);
    return ((error as CommitRefused).cause as { code: string }).code;
  };

  // A varied text: PostgreSQL would compress a repetitive one.
  const tooLong = Array.from({ length: 1_000 }, (_, at) => at.toString(36)).join('-');

  it.each([
    ['22003', { stored: [storedDelivery({ version: 2 ** 31 })] }],
    ['22P02', { messages: new Map([['no UUID', { digest: 'digest', offset: 0 }]]) }],
    ['22008', { stored: [storedDelivery({ dueMs: 1e300 })] }],
    ['54000', { stored: [storedDelivery({ orderKey: tooLong })] }],
    ['54000', { stored: [storedDelivery({ pipeline: tooLong as typeof PIPELINE })] }],
    ['23502', { stored: [storedDelivery({ lane: null as unknown as typeof LANE })] }],
  ])('are recognised by SQLSTATE %s', async (code, given) => {
    expect(await refused(given)).toBe(code);
  });

  it('are found by trying each row alone', async () => {
    const store = await database.open('one');
    const stored = [
      storedDelivery({ offset: 1 }),
      storedDelivery({ offset: 2, orderKey: tooLong }),
      storedDelivery({ offset: 3, version: 2 ** 31 }),
      storedDelivery({ offset: 4 }),
    ];
    const changes = changesOf(await acquired(store), 1, { stored });
    expect((await store.refusedRows(changes)).map(({ offset }) => offset)).toEqual([2, 3]);
    expect(await database.rows('SELECT FROM penstock_router.bodies')).toEqual([]);
  });

  it('do not include a missing table or server', async () => {
    const store = await database.open('one');
    const grant = await acquired(store);
    await database.rows('ALTER TABLE penstock_router.counters RENAME TO away');
    await expect(store.commit([changesOf(grant, 1, plain())])).rejects.toMatchObject({
      code: '42P01',
    });
    await database.rows('ALTER TABLE penstock_router.away RENAME TO counters');
    expect(await store.commit([changesOf(grant, 1, plain())])).toEqual([]);
  });
});

it('creates missing slices of the hour and the day', async () => {
  const store = await database.open('one');
  const grants = await store.acquire([0, 1]);
  const tables = await database.rows<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits
      WHERE inhparent IN ('penstock_router.messages'::regclass, 'penstock_router.outcomes'::regclass)`,
  );
  for (const { name } of tables) await database.rows(`DROP TABLE ${name}`);
  expect(await store.commit(grants.map((grant) => changesOf(grant, 1, withRows())))).toEqual([]);
  expect(await store.seen([HASH])).toEqual(new Map([[HASH, 'digest']]));
  expect(await delivereds()).toBe(2);
});

describe('the body of an event', () => {
  const dead = storedDelivery({ state: 'Rejected', step: 'Finalize', code: '404' });
  const waits = storedDelivery({ pipeline: OTHER_PIPELINE });
  const bodies = () => database.rows('SELECT body FROM penstock_router.bodies');

  const begin = async (): Promise<{
    grant: LeaseGrant;
    store: Awaited<ReturnType<typeof database.open>>;
  }> => {
    const store = await database.open('one');
    const grant = await acquired(store);
    await store.commit([changesOf(grant, 1, { stored: [dead] })]);
    return { grant, store };
  };

  it('is kept for a delivery that is stored while its last one is erased', async () => {
    const { grant, store } = await begin();
    const held = new HeldDatabase(database.pool);
    const storing = new Commits(held, makeNothing).commit([
      changesOf(grant, 2, { stored: [waits] }),
    ]);
    await held.held;
    const erasing = store.erase([{ partition: 0, offset: 0 }]);
    await database.untilSomeoneWaits();
    held.commit();
    await Promise.all([storing, erasing]);
    expect((await database.stored()).rows).toEqual([{ ...waits, partition: 0 }]);
  });

  it('is written again for a delivery that is stored after its last one was erased', async () => {
    const { grant, store } = await begin();
    const held = new HeldDatabase(database.pool);
    const erasing = new StoredDeliveries(held).erase([{ partition: 0, offset: 0 }]);
    await held.held;
    const storing = store.commit([changesOf(grant, 2, { stored: [waits] })]);
    await database.untilSomeoneWaits();
    held.commit();
    await Promise.all([storing, erasing]);
    expect((await database.stored()).rows).toEqual([{ ...waits, partition: 0 }]);
  });

  it('goes with its last delivery', async () => {
    const { grant, store } = await begin();
    const ending = { state: 'Delivered', step: 'Finalize', code: '', reason: '' } as const;
    await store.commit([changesOf(grant, 2, { stored: [waits] })]);
    await store.erase([{ partition: 0, offset: 0 }]);
    expect(await bodies()).toHaveLength(1);
    await store.commit([
      changesOf(grant, 3, { settled: [{ offset: 0, pipeline: OTHER_PIPELINE, ending }] }),
    ]);
    expect(await bodies()).toEqual([]);
  });

  it('is returned as empty when it is missing', async () => {
    const { grant, store } = await begin();
    await store.commit([changesOf(grant, 2, { stored: [waits] })]);
    await database.rows('DELETE FROM penstock_router.bodies');
    const limits = { rows: 9, maxBytes: 9 };
    expect(await store.waiting(0, LANE, waits.orderKey, null, limits)).toEqual([
      { ...waits, body: '' },
    ]);
  });
});

it('keeps only the rows of the change log since the last snapshot', async () => {
  const store = await database.open('one');
  const grant = await acquired(store);
  const rows = () =>
    database.rows<{ sequence: string }>('SELECT sequence FROM penstock_router.changes ORDER BY 1');
  await store.commit([changesOf(grant, 1, { open: [openDelivery()] })]);
  await store.commit([changesOf(grant, 2)]);
  await store.commit([changesOf(grant, 3, { closed: [openDelivery()] })]);
  expect((await rows()).map(({ sequence }) => Number(sequence))).toEqual([1, 3]);
  await store.commit([changesOf(grant, 4, { snapshot: [] })]);
  await store.commit([changesOf(grant, 5, { open: [openDelivery({ offset: 8 })] })]);
  expect((await rows()).map(({ sequence }) => Number(sequence))).toEqual([4, 5]);
});

it('does not use the clock of this machine', async () => {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 5 * 3_600_000);
  try {
    const [store, other] = [await database.open('one'), await database.open('other')];
    const grant = await acquired(store);
    const wanted = { rate: LANE, ratePerSecond: 0.001, burst: 1, count: 1 };
    await store.commit([changesOf(grant, 1, plain())]);
    expect(await store.takeTokens(wanted)).toEqual({ count: 1, waitMs: 0 });
    clock.mockReturnValue(Date.now() - 50 * 3_600_000);
    expect(await other.acquire([0])).toEqual([]);
    expect((await other.takeTokens(wanted)).count).toBe(0);
    expect(await other.seen([HASH])).toHaveProperty('size', 1);
    expect((await other.beat(1)).members).toEqual(['other']);
  } finally {
    clock.mockRestore();
  }
});
