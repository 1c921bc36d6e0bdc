import {
  CHANGING,
  isRejected,
  itKeepsResolversInBounds,
  some,
} from '../../platform/resolver.contract';
import { imported, MINE } from '../../platform/warehouse-writer.contract';
import { LOCK } from '../layout/lock';
import { SCHEMA } from '../stage.fixture';
import { besideResolution } from './beside-resolution';
import { NEVER, OPTIONS, ResolvingStage, resolveAll, rules } from './resolving-stage.fixture';

jest.setTimeout(60_000);

const BY = rules(['email']);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

itKeepsResolversInBounds(() => stage);

const stages = (): Promise<readonly unknown[]> =>
  stage.written.stage.rows(
    `SELECT oid FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relname LIKE '\\_stage\\_%'`,
  );

const temporary = (): Promise<readonly unknown[]> =>
  stage.written.stage.rows(
    `SELECT oid, relname FROM pg_class WHERE relpersistence = 't' AND relname LIKE '\\_stage\\_%' ORDER BY oid`,
  );

/** A second session holds what another operation would. */
const whileHeld = async (lock: string, work: () => Promise<void>): Promise<void> => {
  const owner = stage.written.stage;
  await owner.run(`SELECT pg_advisory_lock(${lock})`);
  try {
    await work();
  } finally {
    await owner.run(`SELECT pg_advisory_unlock(${lock})`);
  }
};

it.each(Object.entries(CHANGING))(
  '%s is busy at once while the warehouse is changed',
  async (_, method) => {
    await some(stage);
    const resolver = await stage.resolver(BY);
    const before = await stage.contents();
    await whileHeld(LOCK.replace('$1', `'${SCHEMA}'`), () => isRejected(method(resolver), 'busy'));
    expect(await stage.contents()).toEqual(before);
    await method(resolver);
  },
);

/** SQL of the lock that excludes writers. */
const RESOLVING = `hashtextextended('penstock resolution ${SCHEMA}', 0)`;

const isSomebodyWaiting = async (): Promise<void> => {
  for (;;) {
    const [row] = await stage.written.stage.rows(
      `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    if ((row as { n: number }).n > 0) return;
  }
};

it('forgets facts while a batch is under way', async () => {
  await some(stage);
  const resolver = await stage.resolver(BY);
  await resolveAll(resolver);
  await stage.write('c1', [imported('u', 2, { email: 'b' })]);
  await whileHeld(RESOLVING, async () => {
    const resolving = resolver.resolve(10, NEVER);
    await isSomebodyWaiting();
    expect(await stage.takeFacts(resolver)).toMatchObject([{ type: 'ProfileCreated' }]);
    await stage.written.stage.run(`SELECT pg_advisory_unlock(${RESOLVING})`);
    expect(await resolving).toMatchObject({ identities: 1 });
    await stage.written.stage.run(`SELECT pg_advisory_lock(${RESOLVING})`);
  });
  expect(await stage.takeFacts(resolver)).toMatchObject([{ type: 'ProfileSplit' }]);
});

it('keeps a change from beginning, and is given up without a trace', async () => {
  await some(stage);
  const resolver = await stage.resolver(BY);
  const before = await stage.contents();
  const giving = new AbortController();
  const { written } = stage;
  // As a writer would, so that the batch waits.
  await whileHeld(RESOLVING, async () => {
    const outcome = resolver.resolve(10, giving.signal).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    await isSomebodyWaiting();
    await written.stage.as(written.loader, async (warehouse) => {
      await isRejected(warehouse.profilesVersion(MINE), 'busy');
    });
    giving.abort(new Error('no longer wanted'));
    expect(await outcome).toMatchObject({ message: 'no longer wanted' });
  });
  expect(await stage.contents()).toEqual(before);
  expect(await stages()).toEqual([]);
  await resolveAll(resolver);
  expect(await stage.profiles()).toHaveLength(1);
});

it('is given up at any moment without a trace', async () => {
  await stage.write(
    'c1',
    Array.from({ length: 300 }, (_, at) => imported(`u${at}`, 1, { email: `e${at % 100}` })),
  );
  const resolver = await stage.resolver(BY);
  const before = await stage.contents();
  let givenUp = 0;
  for (let afterMs = 0; afterMs < 400; afterMs += 25) {
    const signal = AbortSignal.timeout(afterMs);
    const resolved = await resolver.resolve(1_000, signal).catch(() => undefined);
    if (resolved !== undefined) break;
    givenUp += 1;
    expect(await stage.contents()).toEqual(before);
  }
  expect(givenUp).toBeGreaterThan(0);
  await resolveAll(resolver);
  expect(await stage.profiles()).toHaveLength(100);
  expect(await stages()).toEqual([]);
});

it('makes its tables once, for all batches', async () => {
  await some(stage);
  const resolver = await stage.resolver(BY);
  await resolveAll(resolver);
  const made = await temporary();
  expect(made).not.toEqual([]);
  await stage.write('c1', [imported('u', 2, { email: 'b' })]);
  expect(await resolver.resolve(10, NEVER)).toMatchObject({ split: 1, isLast: true });
  expect(await temporary()).toEqual(made);
  expect(await stages()).toEqual([]);
});

it('tells anybody how many identities are to be resolved, and for how long the first of them has been', async () => {
  const { stage: owner, loader } = stage.written;
  const unresolved = (workspace = MINE) =>
    owner.as(loader, (warehouse) => warehouse.unresolved(workspace));
  expect(await unresolved()).toEqual({ count: 0, waitingMs: null });
  await some(stage);
  await owner.run(`UPDATE ${SCHEMA}._dirty SET since = since - interval '1 hour' WHERE identity =
    (SELECT min(identity) FROM ${SCHEMA}._dirty)`);
  const { count, waitingMs } = await unresolved();
  expect(count).toBe(2);
  expect(waitingMs).toBeGreaterThanOrEqual(3_600_000);
  expect(waitingMs).toBeLessThan(3_900_000);
  await isRejected(unresolved('another000000001' as typeof MINE), 'foreign');
  await resolveAll(await stage.resolver(BY));
  expect(await unresolved()).toEqual({ count: 0, waitingMs: null });
});

it('lets writers go on while one of them is stuck, and resolves afterwards', async () => {
  const { stage: owner } = stage.written;
  await stage.write('c1', [imported('u1', 1, { email: 'e1' })]);
  const resolver = await stage.resolver(BY);
  await owner.run('BEGIN', besideResolution(SCHEMA));
  const resolving = resolver.resolve(10, NEVER);
  await owner.run('SELECT pg_sleep(0.5)');
  await stage.write('c1', [imported('u2', 1, { email: 'e2' })]);
  await owner.run('COMMIT');
  expect(await resolving).toMatchObject({ created: 1 });
});

it('of a user who may make no temporary tables', async () => {
  const { stage: owner, loader } = stage.written;
  const [row] = await owner.rows('SELECT current_database() AS name');
  const { name } = row as { name: string };
  await owner.run(`REVOKE TEMPORARY ON DATABASE "${name}" FROM PUBLIC`);
  try {
    await some(stage);
    const writers = await owner.writer(loader, OPTIONS);
    const resolver = await writers.beginResolution({ role: 'resolution', epoch: 1_000 }, BY);
    await resolveAll(resolver);
    await writers.close();
    expect(await stage.profiles()).toHaveLength(1);
  } finally {
    await owner.run(`GRANT TEMPORARY ON DATABASE "${name}" TO PUBLIC`);
    await owner.run(`DELETE FROM ${SCHEMA}._fences WHERE role = 'resolution'`);
  }
});
