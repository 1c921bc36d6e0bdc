import type { RunErrorGroup, RunId, WorkspaceId } from '@penstock/contracts';
import { LeaseLost } from '../engine/lease-lost';
import type { PostgresRunStore } from './postgres-run-store';
import type { AcceptedRun, ClaimedRun, FactToPublish, Finished, Postponed } from './run-store';
import { aBatch, aRun, LEASE_MS, StoreDatabase, SUCCEEDED, WORKSPACE } from './store.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
let store: PostgresRunStore;

beforeEach(async () => {
  store = await database.open();
});

const claimed = async (worker = 'w1'): Promise<ClaimedRun> => {
  const run = await store.claim(worker);
  if (run === undefined) throw new Error('there is nothing to claim');
  return run;
};

const claimedOf = async (members: Partial<AcceptedRun> = {}): Promise<ClaimedRun> => {
  await store.accept([aRun(members)]);
  return claimed();
};

const ALL = { pipeline: null, status: null, from: null, to: null };
const PAGE = { limit: 100, after: '' };

const left = async (but: Partial<Postponed> = {}) => {
  const postponed = { runs: [], workspaces: [], ...but };
  const idsOf = async (what: Finished) =>
    (await store.left(what, 10, postponed)).map(({ run }) => run);
  return { told: await idsOf('told'), cleaned: await idsOf('cleaned') };
};

const typesOf = async (run: RunId): Promise<string[]> =>
  (await store.factsOf(run, PAGE)).map(({ view }) => view.type);

describe('accepting', () => {
  it('queues a run once, however many executors have seen it', async () => {
    const run = aRun();
    await Promise.all(Array.from({ length: 8 }, () => store.accept([run])));
    expect(await store.list(WORKSPACE, ALL, PAGE)).toMatchObject([
      { id: run.run, status: 'Queued', attempt: 0, pipelineName: 'Users', endTime: null },
    ]);
    expect(await store.factsOf(run.run, PAGE)).toMatchObject([
      { view: { type: 'RunRequested', actor: 'key1' } },
    ]);
  });

  it('brings a run that has ended not back', async () => {
    const run = aRun();
    await store.accept([run]);
    const { epoch } = await claimed();
    await store.end(run.run, epoch, SUCCEEDED);
    await store.accept([run]);
    expect(await store.claim('w2')).toBeUndefined();
  });
});

describe('claims', () => {
  it('gives each run to one worker', async () => {
    await store.accept([aRun(), aRun(), aRun()]);
    const all = await Promise.all(Array.from({ length: 8 }, (_, n) => store.claim(`w${n}`)));
    const runs = all.flatMap((each) => each?.run ?? []);
    expect(runs).toHaveLength(3);
    expect(new Set(runs).size).toBe(3);
  });

  it('holds for the lease, and longer when it is renewed', async () => {
    const { run, epoch } = await claimedOf();
    await database.pass(LEASE_MS - 1_000);
    expect(await store.claim('w2')).toBeUndefined();
    expect(await store.renew(run, epoch)).toBe(true);
    await database.pass(LEASE_MS - 1_000);
    expect(await store.claim('w2')).toBeUndefined();
    await database.pass(1_001);
    const second = await claimed('w2');
    expect(second).toMatchObject({ run, epoch: epoch + 1, nextBatch: 2, unsettled: [1] });
    expect(await store.renew(run, epoch)).toBe(false);
    expect(await store.find(WORKSPACE, run)).toMatchObject({ attempt: 2 });
    expect(await typesOf(run)).toEqual(['RunRequested', 'RunClaimed', 'RunClaimed']);
  });

  it('that is given back is there for the next worker at once', async () => {
    const { run, epoch } = await claimedOf();
    await store.release(run, epoch);
    expect(await store.claim('w2')).toMatchObject({ run, epoch: epoch + 1 });
    await store.release(run, epoch);
    expect(await store.claim('w3')).toBeUndefined();
  });

  it('that is given back is not kept by a renewal that comes late', async () => {
    const { run, epoch } = await claimedOf();
    await store.release(run, epoch);
    expect(await store.renew(run, epoch)).toBe(false);
    expect(await store.claim('w2')).toMatchObject({ run, epoch: epoch + 1 });
  });

  it('performs so many runs of a workspace at a time, in the order of their requests', async () => {
    store = await database.open(2);
    const runs = [aRun(), aRun(), aRun()];
    await store.accept(runs);
    const [one, two] = [await claimed(), await claimed()];
    expect([one.run, two.run]).toEqual([runs[0]?.run, runs[1]?.run]);
    expect(await store.claim('w1')).toBeUndefined();
    await store.end(one.run, one.epoch, SUCCEEDED);
    expect(await store.claim('w1')).toMatchObject({ run: runs[2]?.run });
  });

  it('lets workspaces take turns, whoever has asked for more', async () => {
    const [big, small] = ['workspace000big1' as WorkspaceId, 'workspacesmall01' as WorkspaceId];
    await store.accept(Array.from({ length: 6 }, () => aRun({ workspace: big })));
    await store.accept([aRun({ workspace: small }), aRun({ workspace: small })]);
    const order = [];
    for (let n = 0; n < 6; n += 1) order.push((await claimed()).workspace);
    expect(order).toEqual([big, small, big, small, big, big]);
  });
});

describe('what a worker records', () => {
  it('is the sum of its batches, and the place to go on from', async () => {
    const { run, epoch } = await claimedOf();
    const ledger = store.ledger(run, epoch);
    await ledger.settle(aBatch(1));
    await ledger.settle(aBatch(2, { warnings: ['a column is left out'] }));
    expect(await store.find(WORKSPACE, run)).toMatchObject({
      status: 'Running',
      passed: [0, 0, 0, 0, 0, 0],
      failed: [0, 0, 0, 0, 0, 0],
      progress: { passed: [20, 20, 20, 20, 20, 18], failed: [0, 0, 0, 0, 0, 2], rate: 2 },
      warnings: ['a column is left out'],
    });
    await database.pass(LEASE_MS + 1);
    expect(await claimed()).toMatchObject({
      position: { kind: 'page', cursor: '', offset: 20 },
      cursor: '2026-05-01T00:00:00.000001Z',
      passed: [20, 20, 20, 20, 20, 18],
      duplicates: 2,
      withoutId: 4,
      nextBatch: 4,
      unsettled: [3],
    });
    expect(await store.find(WORKSPACE, run)).toMatchObject({ progress: { rate: 0 } });
  });

  it('counts once when it is repeated', async () => {
    const { run, epoch } = await claimedOf();
    const ledger = store.ledger(run, epoch);
    for (let n = 0; n < 2; n += 1) await ledger.settle(aBatch(1));
    expect(await store.find(WORKSPACE, run)).toMatchObject({
      progress: { passed: [10, 10, 10, 10, 10, 9] },
    });
    for (let n = 0; n < 2; n += 1) await ledger.restart('was changed', 2);
    expect(await store.find(WORKSPACE, run)).toMatchObject({
      progress: { passed: [0, 0, 0, 0, 0, 0] },
    });
    expect(await typesOf(run)).toEqual([
      ...['RunRequested', 'RunClaimed', 'BatchSettled', 'ReadingRestarted'],
    ]);
  });

  it('names no record in its facts', async () => {
    const { run, epoch } = await claimedOf();
    const errors = [
      { step: 'Finalize', code: 'c', message: 'm', count: 1, samples: ['the-record'] },
    ] as const;
    await store.ledger(run, epoch).settle(aBatch(1, { errors }));
    const [found] = await store.errorsOf(run, { limit: 10, after: '' });
    expect(found?.view.samples).toEqual(['the-record']);
    const { rows } = await database.pool.query<{ data: string }>(
      `SELECT data FROM penstock_runs.facts WHERE type = 'BatchSettled'`,
    );
    const facts = rows.map(({ data }) => data).join('');
    expect(facts).toContain('"count":1');
    expect(facts).not.toContain('the-record');
  });

  it('is refused of a worker that has lost the run', async () => {
    const { run, epoch } = await claimedOf();
    const old = store.ledger(run, epoch);
    await database.pass(LEASE_MS + 1);
    const { epoch: newer, nextBatch } = await claimed('w2');
    await store.ledger(run, newer).settle(aBatch(nextBatch));
    await expect(old.settle(aBatch(1))).rejects.toBeInstanceOf(LeaseLost);
    await expect(old.settle(aBatch(nextBatch))).rejects.toBeInstanceOf(LeaseLost);
    await expect(old.restart('', 9)).rejects.toBeInstanceOf(LeaseLost);
    await expect(store.end(run, epoch, SUCCEEDED)).rejects.toBeInstanceOf(LeaseLost);
    expect((await typesOf(run)).filter((type) => type === 'BatchSettled')).toHaveLength(1);
  });

  it('groups errors: a hundred messages of a step, ten records of each, and the others', async () => {
    const { run, epoch } = await claimedOf();
    const ledger = store.ledger(run, epoch);
    const error = (n: number): RunErrorGroup => ({
      ...{ step: 'Transformation', code: 'Failed', message: `reason ${n}`, count: 1 },
      samples: [`u${n}`, `with NUL \0${(seen += 1)}`],
    });
    let seen = 0;
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => error(from + n));
    await ledger.settle(aBatch(1, { errors: many(0, 100) }));
    await ledger.settle(aBatch(2, { errors: [...many(0, 1), ...many(95, 8)] }));
    for (let n = 3; n < 20; n += 1) await ledger.settle(aBatch(n, { errors: many(0, 1) }));
    const found = await store.errorsOf(run, { limit: 1_000, after: '' });
    expect(found).toHaveLength(101);
    expect(found[0]?.view).toMatchObject({ message: 'reason 0', count: 19 });
    expect(found[0]?.view.samples).toHaveLength(10);
    expect(found.find(({ view }) => view.code === 'Other')?.view).toMatchObject({
      ...{ step: 'Transformation', message: 'other errors', count: 3 },
    });
    const rest = await store.errorsOf(run, { limit: 1_000, after: found[39]?.place ?? '' });
    expect(rest).toEqual(found.slice(40));
  });

  it('counts messages beyond the hundred as others that are the same only when they are cut', async () => {
    const { run, epoch } = await claimedOf();
    const error = (message: string): RunErrorGroup => ({
      ...{ step: 'Transformation', code: 'Failed', message, count: 1, samples: [] },
    });
    const hundred = Array.from({ length: 100 }, (_, n) => error(`reason ${n}`));
    const long = [1, 2, 3].map((n) => error(`${'x'.repeat(1_000)}${n}`));
    await store.ledger(run, epoch).settle(aBatch(1, { errors: [...hundred, ...long] }));
    const found = await store.errorsOf(run, { limit: 1_000, after: '' });
    expect(found).toHaveLength(101);
    expect(found.find(({ view }) => view.code === 'Other')?.view.count).toBe(3);
  });
});

describe('the end', () => {
  it('is recorded once, and nothing follows it', async () => {
    const { run, epoch } = await claimedOf();
    const ledger = store.ledger(run, epoch);
    await ledger.settle(aBatch(1));
    for (let n = 0; n < 2; n += 1) await store.end(run, epoch, SUCCEEDED);
    await expect(store.end(run, epoch, { ...SUCCEEDED, status: 'Failed' })).rejects.toThrow();
    await expect(ledger.settle(aBatch(2))).rejects.toBeInstanceOf(LeaseLost);
    await store.requestCancel(run, { reason: 'Requested' });
    // It is shown once the pipeline may run again.
    expect(await store.find(WORKSPACE, run)).toMatchObject({ status: 'Running', endTime: null });
    await store.finish(run, 'told');
    expect(await store.find(WORKSPACE, run)).toMatchObject({
      status: 'Succeeded',
      passed: [10, 10, 10, 10, 10, 9],
      failed: [0, 0, 0, 0, 0, 1],
      purged: 3,
      progress: null,
      warnings: ['two records have one id'],
    });
    const facts = await store.factsOf(run, PAGE);
    expect(facts.map(({ view }) => view.type)).toEqual([
      ...['RunRequested', 'RunClaimed', 'BatchSettled', 'RunSucceeded'],
    ]);
    expect(JSON.parse(facts.at(-1)?.view.data ?? '')).toMatchObject({
      ...{ passed: [10, 10, 10, 10, 10, 9], purged: 3, warnings: ['two records have one id'] },
    });
  });

  it('is left to be told until it is, by whichever executor', async () => {
    const { run, epoch } = await claimedOf();
    expect(await left()).toEqual({ told: [], cleaned: [] });
    await store.end(run, epoch, SUCCEEDED);
    expect(await left()).toEqual({ told: [run], cleaned: [] });
    expect(await left({ runs: [run] })).toEqual({ told: [], cleaned: [] });
    await store.finish(run, 'told');
    expect(await left()).toEqual({ told: [], cleaned: [run] });
    expect(await left({ runs: [run] })).toEqual({ told: [], cleaned: [] });
    expect(await left({ workspaces: [WORKSPACE] })).toEqual({ told: [], cleaned: [] });
    await store.finish(run, 'cleaned');
    expect(await left()).toEqual({ told: [], cleaned: [] });
  });

  it('tells whether a worker has had the run, whatever is counted of what it has written', async () => {
    const restarted = await claimedOf();
    const ledger = store.ledger(restarted.run, restarted.epoch);
    await ledger.settle(aBatch(1));
    await ledger.restart('was changed', 2);
    const failed = { ...SUCCEEDED, status: 'Failed', purged: 0 } as const;
    await store.end(restarted.run, restarted.epoch, failed);
    const unsettled = await claimedOf();
    const queued = aRun();
    await store.accept([queued]);
    for (const run of [unsettled.run, queued.run])
      await store.requestCancel(run, { reason: 'Requested' });
    await database.pass(LEASE_MS + 1);
    for (const { run, epoch } of await store.takeCancelled(1_000))
      await store.end(run, epoch, { ...failed, status: 'Cancelled' });
    const ended = await store.left('told', 10, { runs: [], workspaces: [] });
    expect(ended.map(({ run, wasClaimed }) => [run, wasClaimed])).toEqual([
      [restarted.run, true],
      [unsettled.run, true],
      [queued.run, false],
    ]);
  });
});

describe('a cancel', () => {
  it('of a queued run is given to whoever asks, and never to a worker', async () => {
    const run = aRun();
    await store.accept([run]);
    for (let n = 0; n < 2; n += 1) await store.requestCancel(run.run, { reason: 'Requested' });
    expect(await store.claim('w1')).toBeUndefined();
    const [taken] = await store.takeCancelled(1_000);
    expect(taken).toMatchObject({ run: run.run, mayWrite: false });
    expect(taken?.cancel).toEqual({ reason: 'Requested' });
    expect(await store.takeCancelled(1_000)).toEqual([]);
    await store.end(run.run, taken?.epoch ?? 0, { ...SUCCEEDED, status: 'Cancelled' });
    expect(await typesOf(run.run)).toEqual(['RunRequested', 'RunCancelRequested', 'RunCancelled']);
    expect(await left()).toEqual({ told: [run.run], cleaned: [] });
    await store.finish(run.run, 'told');
    expect(await left()).toEqual({ told: [], cleaned: [] });
  });

  it('is on record before the end, once, with who has asked for it, whichever comes first', async () => {
    const cancel = { reason: 'PipelineDeleted', actor: 'key2' } as const;
    const cancelled = { ...SUCCEEDED, status: 'Cancelled', cancel } as const;
    const [late, early] = [await claimedOf(), await claimedOf()];
    await store.requestCancel(early.run, cancel);
    for (const { run, epoch } of [late, early]) {
      for (let n = 0; n < 2; n += 1) await store.end(run, epoch, cancelled);
      await store.requestCancel(run, { reason: 'Requested', actor: 'key3' });
      const facts = (await store.factsOf(run, PAGE)).slice(2);
      expect(facts.map(({ view: { type, actor } }) => [type, actor])).toEqual([
        ['RunCancelRequested', 'key2'],
        ['RunCancelled', 'system'],
      ]);
      expect(JSON.parse(facts[0]?.view.data ?? '')).toEqual({ reason: 'PipelineDeleted' });
    }
  });

  it('by a change of the mode is taken over with that mode', async () => {
    const run = aRun();
    await store.accept([run]);
    const cancel = { reason: 'WarehouseModeChanged', actor: 'key2', mode: 'Inspection' } as const;
    await store.requestCancel(run.run, cancel);
    const [taken] = await store.takeCancelled(1_000);
    expect(taken?.cancel).toEqual({ reason: 'WarehouseModeChanged', mode: 'Inspection' });
    const [, fact] = await store.factsOf(run.run, PAGE);
    expect(JSON.parse(fact?.view.data ?? '')).toEqual(taken?.cancel);
  });

  it('is not on record for a worker that has lost the run', async () => {
    const { run, epoch } = await claimedOf();
    await database.pass(LEASE_MS + 1);
    await claimed('w2');
    const cancelled = {
      ...SUCCEEDED,
      status: 'Cancelled',
      cancel: { reason: 'Requested' },
    } as const;
    await expect(store.end(run, epoch, cancelled)).rejects.toBeInstanceOf(LeaseLost);
    expect(await typesOf(run)).not.toContain('RunCancelRequested');
  });

  it('of a running run is left to its worker for the time of grace, then the worker has lost it', async () => {
    const { run, epoch } = await claimedOf();
    await store.requestCancel(run, { reason: 'PipelineDeleted' });
    expect(await store.takeCancelled(1_000)).toEqual([]);
    await database.pass(1_001);
    expect(await store.takeCancelled(1_000)).toMatchObject([{ run, mayWrite: true }]);
    await expect(store.ledger(run, epoch).settle(aBatch(1))).rejects.toBeInstanceOf(LeaseLost);
  });
});

describe('publishing', () => {
  it('gives facts in their order, once, to one process at a time', async () => {
    const { run, epoch } = await claimedOf();
    await store.end(run, epoch, SUCCEEDED);
    const seen: FactToPublish[] = [];
    let end: number | null = null;
    const publish = (limit: number): Promise<number | undefined> =>
      store.publish(limit, (facts, known) => {
        seen.push(...facts);
        end = known;
        return Promise.resolve({ ids: facts.map(({ id }) => id), end: seen.length });
      });
    await expect(
      store.publish(2, () => Promise.reject(new Error('the log is away'))),
    ).rejects.toThrow();
    expect(await publish(2)).toBe(2);
    expect(end).toBeNull();
    const nested = await store.publish(2, async (facts) => {
      expect(await publish(2)).toBeUndefined();
      seen.push(...facts);
      return { ids: facts.map(({ id }) => id), end: seen.length };
    });
    expect(nested).toBe(1);
    expect(await publish(2)).toBe(0);
    expect(seen.map(({ fact }) => [fact.number, fact.fact.type])).toEqual([
      ...[
        [1, 'RunAccepted'],
        [2, 'RunClaimed'],
        [3, 'RunSucceeded'],
      ],
    ]);
  });
});

describe('lists', () => {
  it('are newest first, filtered, in pages, of one workspace', async () => {
    const other = 'workspaceother01' as WorkspaceId;
    const runs = [aRun(), aRun({ pipeline: 'pipeline00000002' as never }), aRun()];
    await store.accept([...runs, aRun({ workspace: other })]);
    const ids = async (wanted: object, page = PAGE): Promise<string[]> =>
      (await store.list(WORKSPACE, { ...ALL, ...wanted }, page)).map(({ id }) => id);
    const newest = runs.map(({ run }) => run).reverse();
    expect(await ids({})).toEqual(newest);
    expect(await ids({}, { limit: 2, after: '' })).toEqual(newest.slice(0, 2));
    expect(await ids({}, { limit: 2, after: newest[1] ?? '' })).toEqual(newest.slice(2));
    expect(await ids({ pipeline: 'pipeline00000002' })).toEqual([runs[1]?.run]);
    expect(await ids({ status: 'Running' })).toEqual([]);
    expect(await ids({ from: '2026-06-01T00:00:00.000Z' })).toEqual(newest);
    expect(await ids({ from: '2026-06-01T00:00:00.001Z' })).toEqual([]);
    expect(await ids({ to: '2026-06-01T00:00:00.000Z' })).toEqual([]);
    expect(await store.find(other, runs[0]?.run ?? '')).toBeUndefined();
  });

  it('lose a workspace that is erased', async () => {
    await claimedOf();
    expect(await store.workspaces()).toEqual([WORKSPACE]);
    await store.erase(WORKSPACE);
    expect(await store.workspaces()).toEqual([]);
    const { rows } = await database.pool.query('SELECT 1 FROM penstock_runs.facts');
    expect(rows).toEqual([]);
  });

  it('are erased with all that only they lead to, whoever writes or ends meanwhile', async () => {
    const { run } = await claimedOf();
    await database.pool.query(`
      CREATE FUNCTION penstock_runs.take_a_key() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO penstock_runs.export_keys (run, key, batch, profile) VALUES (OLD.id, 'k', 1, 'p');
        RETURN OLD;
      END $$;
      CREATE TRIGGER take_a_key BEFORE DELETE ON penstock_runs.runs FOR EACH ROW
        EXECUTE FUNCTION penstock_runs.take_a_key();
      ALTER TABLE penstock_runs.turns RENAME TO elsewhere`);
    await expect(store.erase(WORKSPACE)).rejects.toMatchObject({ code: '42P01' });
    expect(await store.workspaces()).toEqual([WORKSPACE]);
    expect(await store.find(WORKSPACE, run)).toBeDefined();
    await database.pool.query('ALTER TABLE penstock_runs.elsewhere RENAME TO turns');
    await store.erase(WORKSPACE);
    expect(await store.workspaces()).toEqual([]);
    const { rows } = await database.pool.query('SELECT 1 FROM penstock_runs.export_keys');
    expect(rows).toEqual([]);
  });
});
