import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConnectionId,
  instant,
  type LiveRun,
  type PipelineId,
  type ReplayedRun,
  RUN_STEPS,
  type RunCancel,
  type RunId,
  type RunStatus,
  type WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { until } from '@penstock/test-servers';
import { WarehouseFault } from '@penstock/warehouses';
import { PostgresRunStore } from './store/postgres-run-store';
import { aRun } from './store/store.fixture';
import { checkFolds } from './testing/check-folds.fixture';
import {
  applicationImport,
  fileImport,
  Installation,
  type RunningExecutor,
  WORKSPACE,
} from './testing/installation.fixture';
import type { ExecutorOptions } from './workers/executor-options';

jest.setTimeout(600_000);

let installation: Installation;

beforeEach(async () => {
  installation = await Installation.open();
});

afterEach(() => installation.close());

const COUNT = 2_500;

/** Every tenth is left out by the filter, every twenty-fifth is refused by the warehouse, two have no id. */
const writeUsers = (count = COUNT): void => {
  const rows = Array.from({ length: count }, (_, n) => {
    const id = n % 25 === 1 ? `refused${n}` : `u${n}`;
    return `${n < 2 * 1_000 && n % 1_000 === 500 ? '' : id},${id}@example.com,${n % 10 === 3 ? 'none' : 'free'}`;
  });
  installation.writeFile('users.csv', ['id,email,plan', ...rows]);
};

const WITHOUT_ID = 2;
const FILTERED = COUNT / 10;
const REFUSED = COUNT / 25;
const TOTALS = {
  passed: [
    COUNT - WITHOUT_ID,
    COUNT - WITHOUT_ID,
    ...[1, 1, 1].map(() => COUNT - WITHOUT_ID - FILTERED),
  ],
  failed: [WITHOUT_ID, 0, FILTERED, 0, 0],
};

/** Numbers of refused ids that the filter leaves out before: 25 n + 1 that end with 3 do not exist; those with 1 or 6 do. */
const expectWhole = (run: object): void => {
  const finalized = COUNT - WITHOUT_ID - FILTERED - REFUSED;
  expect(run).toMatchObject({
    status: 'Succeeded',
    passed: [...TOTALS.passed, finalized],
    failed: [...TOTALS.failed, REFUSED],
    error: '',
    progress: null,
  });
  expect(installation.warehouse.identities.size).toBe(finalized);
};

const twoExecutors = async (
  options: Partial<ExecutorOptions> = {},
): Promise<[RunningExecutor, RunningExecutor]> => [
  await installation.start(options),
  await installation.start(options),
];

it('imports a file: counts, errors, history, and what is left to be done at the end', async () => {
  writeUsers();
  await twoExecutors();
  const pipeline = fileImport();
  const run = await installation.request(pipeline);
  expect(await installation.run(run)).toMatchObject({ id: run, trigger: 'API', purged: 0 });
  const ended = await installation.ended(run);
  expectWhole(ended);
  expect(ended).toMatchObject({ attempt: 1, purged: 0, incremental: false });
  expect(ended.warnings).toEqual([
    expect.stringContaining('2 records (line 502, line 1502) have no readable id'),
  ]);
  await until(() => installation.ends.length > 0 && installation.warehouse.seen.size === 0);
  expect(installation.ends[0]).toMatchObject({ run, status: 'Succeeded', cursor: null, error: '' });
  const { errors } = await installation.ask('ListRunErrors', {
    ...{ id: run, seen: 0, limit: 10, cursor: '' },
  });
  expect(errors).toMatchObject([
    { step: 'Receive', code: 'InvalidId', count: WITHOUT_ID, samples: [] },
    { step: 'Finalize', code: 'Refused', count: REFUSED, message: 'value out of range' },
  ]);
  const { facts } = await installation.ask('ListRunFacts', {
    ...{ id: run, seen: 0, limit: 1_000, cursor: '' },
  });
  expect(facts.filter(({ type }) => type === 'BatchSettled')).toHaveLength(COUNT / 100);
  await until(async () => (await installation.published()).length === facts.length);
  const published = await installation.published();
  expect(published.map(({ number }) => number)).toEqual(facts.map((_, index) => index + 1));
  expect(published.at(-1)).toMatchObject({
    run,
    pipeline: pipeline.id,
    fact: { type: 'RunSucceeded' },
  });
  expect(JSON.stringify(published)).not.toContain('@example.com');
});

/** Imports these bytes as `users.csv` over the identities u0 to u3. */
const importedOver = async (rows: readonly string[]) => {
  installation.writeFile('users.csv', [
    'id,email,plan,note',
    ...[0, 1, 2, 3].map((n) => `u${n},before,,`),
  ]);
  await installation.start();
  const pipeline = fileImport();
  await installation.ended(await installation.request(pipeline));
  writeFileSync(join(installation.folder, 'users.csv'), `${rows.join('\n')}\n`, 'latin1');
  const run = await installation.ended(await installation.request(pipeline));
  const { errors } = await installation.ask('ListRunErrors', {
    ...{ id: run.id, seen: 0, limit: 10, cursor: '' },
  });
  const identities = [...installation.warehouse.identities].map(
    ([key, { value }]) => `${key.split('/').at(-1) ?? ''}: ${String(value)}`,
  );
  return { run, errors, identities };
};

it('a cell that cannot be read fails its record alone: the identity stays, and those that are gone go', async () => {
  const { run, errors, identities } = await importedOver([
    ...['id,email,plan,note', 'u0,after,,', 'u1,\xff,,', 'u2,after,,\xff'],
  ]);
  expect(run).toMatchObject({ status: 'Succeeded', purged: 1, warnings: [] });
  expect(identities).toEqual(['u0: after', 'u1: before', 'u2: after']);
  expect(errors).toMatchObject([
    {
      ...{ step: 'Receive', count: 1, samples: ['u1'], places: ['line 3'] },
      message: 'column "email" is not UTF-8, or holds NUL',
    },
  ]);
});

it('a corrected file takes effect, also with an older modification time', async () => {
  const path = join(installation.folder, 'users.csv');
  await installation.start();
  const pipeline = fileImport();
  for (const [email, time] of [
    ['wrong', 2_000],
    ['right', 1_000],
  ] as const) {
    installation.writeFile('users.csv', ['id,email,plan', `u1,${email},`]);
    utimesSync(path, time, time);
    const run = await installation.ended(await installation.request(pipeline));
    expect(run).toMatchObject({ status: 'Succeeded', passed: [1, 1, 1, 1, 1, 1] });
  }
  expect(Object.values(installation.warehouse.values)).toEqual(['right']);
});

it('says how many records have no readable id, and where, when it removes nobody because of them', async () => {
  const { run, errors, identities } = await importedOver([
    ...['id,email,plan,note', 'u0,after,,', ',after,,', '\xff,after,,', 'u1,after', 'u2,"a"b,,'],
  ]);
  expect(run).toMatchObject({ status: 'Succeeded', purged: 0 });
  expect(run.warnings).toEqual([
    '4 records (line 3, line 4, line 5, line 6) have no readable id: no identity was removed, since some may be of these records',
  ]);
  expect(identities).toHaveLength(4);
  expect(errors.map(({ places }) => places)).toEqual([
    ['line 3'],
    ['line 4'],
    ['line 5'],
    ['line 6'],
  ]);
});

describe('shows how far it is', () => {
  /** Stops what is being written in this batch. @returns what lets it go on. */
  const heldIn = (batch: number): (() => void) => {
    let go: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (go = resolve));
    let count = 0;
    installation.warehouse.beforeWrite = async () => {
      count += 1;
      if (count === batch) await gone;
    };
    return go;
  };

  const progressAt = async (run: RunId, records: number) => {
    await until(async () => {
      const { progress } = await installation.run(run);
      return (progress?.passed[0] ?? 0) + (progress?.failed[0] ?? 0) >= records;
    });
    return (await installation.run(run)).progress;
  };

  it('of a file by the part that was read', async () => {
    writeUsers(30_000);
    await installation.start({ batchRecords: 1_000 });
    const go = heldIn(4);
    const run = await installation.request(fileImport());
    const progress = await progressAt(run, 3_000);
    expect(progress).toMatchObject({ total: null });
    expect(progress?.eta).toBeGreaterThan(0);
    go();
    await installation.ended(run);
  });

  it('of an application by the number of its users', async () => {
    await installation.start();
    const go = heldIn(6);
    const run = await installation.request(applicationImport());
    const progress = await progressAt(run, 500);
    expect(progress).toMatchObject({ total: 1_000 });
    expect(progress?.eta).toBe(Math.ceil(500 / (progress?.rate ?? 0)));
    go();
    expect(await installation.ended(run)).toMatchObject({ progress: null });
  });
});

it('shows replays of events among the runs, as routers have told of them, also after a restart', async () => {
  const one = await installation.start();
  const run = newId() as RunId;
  const counts = (count: number) => Array<number>(6).fill(count);
  const replay: ReplayedRun = {
    ...{ run, workspace: WORKSPACE, pipeline: 'pipeline00000009' as PipelineId },
    ...{
      connection: 'connection000009' as ConnectionId,
      pipelineName: 'Carts',
      pipelineVersion: 1,
    },
    ...{ mode: 'deliver', actor: 'key1', requestedAt: instant(new Date()), sequence: 1 },
    ...{ from: instant(new Date(0)), to: instant(new Date()), cancelledBy: null },
    progress: { passed: counts(7), failed: counts(0), rate: 3, eta: 2, total: 9 },
    ...{ warnings: [], ending: null, errors: [] },
  };
  await installation.ask('RecordReplay', { replay });
  const list = (status: RunStatus | null) =>
    installation.ask('ListRuns', {
      ...{ seen: 0, limit: 10, cursor: '', pipeline: null, from: null, to: null, status },
    });
  expect(await list('Running')).toMatchObject({
    runs: [{ id: run, trigger: 'Replay', replayMode: 'deliver', progress: { passed: counts(7) } }],
  });
  await one.kill();
  await installation.start();
  const ending = { status: 'Succeeded', at: instant(new Date()), error: '' } as const;
  await installation.ask('RecordReplay', { replay: { ...replay, sequence: 2, ending } });
  expect(await list('Running')).toMatchObject({ runs: [] });
  expect(await list(null)).toMatchObject({ runs: [{ id: run, status: 'Succeeded' }] });
  await until(async () => (await installation.published()).length === 2);
  expect(await installation.published()).toMatchObject([
    { run, number: 1, actor: 'key1', fact: { type: 'ReplayAccepted' } },
    { run, number: 2, fact: { type: 'RunSucceeded', data: { passed: counts(7) } } },
  ]);
});

it('removes once a day what lost writers have left in the warehouse', async () => {
  await installation.start();
  await until(() => installation.sweeps === 1);
  const recorded = () =>
    installation.pool.query('SELECT FROM penstock_runs.sweeps').then(({ rowCount }) => rowCount);
  await until(async () => (await recorded()) === 1);
  await (await installation.start()).close();
  expect(installation.sweeps).toBe(1);
  const at = (hours: number) =>
    installation.pool.query(`UPDATE penstock_runs.sweeps SET at = now() - $1 * interval '1 hour'`, [
      hours,
    ]);
  await at(23.9);
  await (await installation.start()).close();
  expect(installation.sweeps).toBe(1);
  await at(24.1);
  await installation.start();
  await until(() => installation.sweeps === 2);
});

it.each([1, 9, 24])(
  'is resumed by another executor when its own is lost in batch %d',
  async (at) => {
    writeUsers();
    const [one, two] = await twoExecutors();
    let [count, lost] = [0, undefined as Promise<void> | undefined];
    installation.warehouse.beforeWrite = async () => {
      count += 1;
      if (count !== at) return;
      const owner = await installation.pool.query<{ worker: string }>(
        'SELECT worker FROM penstock_runs.runs',
      );
      expect(owner.rows[0]?.worker).not.toBe('');
      lost = Promise.all([one.kill(), two.kill()]).then(() => undefined);
      await new Promise(() => undefined);
    };
    const run = await installation.request(fileImport());
    await until(() => lost !== undefined);
    await lost;
    await installation.lapse();
    installation.warehouse.beforeWrite = () => Promise.resolve();
    await installation.start();
    const ended = await installation.ended(run);
    expectWhole(ended);
    expect(ended.attempt).toBeGreaterThanOrEqual(2);
  },
);

it('tells the end of a run in a workspace that this executor has not read of yet', async () => {
  const store = new PostgresRunStore(installation.pool, { leaseMs: 10_000, runsOfWorkspace: 4 });
  await store.prepare();
  const run = aRun({ workspace: 'workspace0000002' as WorkspaceId });
  await store.accept([run]);
  const ending = { status: 'Cancelled', cursor: null, step: null, code: 'Requested' } as const;
  await store.end(run.run, 0, { ...ending, error: 'run was cancelled', purged: 0, warnings: [] });
  await installation.start();
  const isTold = async () =>
    (await store.left('told', 1, { runs: [], workspaces: [] })).length === 0;
  await until(isTold);
  expect(installation.ends).toMatchObject([{ run: run.run, status: 'Cancelled' }]);
});

it('goes on at once with another executor when its own stops', async () => {
  writeUsers();
  const one = await installation.start();
  let count = 0;
  let release = (): void => undefined;
  const stopping = new Promise<void>((resolve) => {
    release = resolve;
  });
  installation.warehouse.beforeWrite = () => {
    count += 1;
    return count > 5 ? stopping : Promise.resolve();
  };
  const run = await installation.request(fileImport());
  await until(() => count > 5);
  await installation.start();
  const closing = one.close();
  release();
  await closing;
  const ended = await installation.ended(run);
  expectWhole(ended);
  expect(ended.attempt).toBe(2);
});

it('tells why records failed as they are counted, however often the reading begins anew', async () => {
  writeUsers();
  let [written, isHeld] = [0, true];
  // Fewer than one run has, so that none ends before its worker is lost.
  installation.warehouse.beforeWrite = async () => {
    written += 1;
    if (written > 20) await until(() => !isHeld);
  };
  let running = await installation.start();
  const pipelines = [fileImport(), fileImport({ filter: null })];
  const runs = await Promise.all(pipelines.map((pipeline) => installation.request(pipeline)));
  for (const time of [1, 2]) {
    await until(() => written > 20);
    await running.kill();
    await installation.lapse();
    // The file is another one, and is read again from its start.
    utimesSync(join(installation.folder, 'users.csv'), time, time);
    isHeld = false;
    await new Promise((resolve) => setTimeout(resolve, 100));
    [written, isHeld] = [0, true];
    running = await installation.start();
  }
  isHeld = false;
  for (const run of runs) {
    const { failed, attempt, status } = await installation.ended(run);
    expect(status).toBe('Succeeded');
    expect(attempt).toBeGreaterThan(1);
    expect([failed[0], failed[5]]).toEqual([WITHOUT_ID, REFUSED]);
    const { errors } = await installation.ask('ListRunErrors', {
      ...{ id: run, seen: 0, limit: 10, cursor: '' },
    });
    // Of a batch that was written and never settled it is not known why the warehouse has refused some.
    const codes = errors.map(({ code }) => code).filter((code) => code !== 'Interrupted');
    expect(codes).toEqual(['InvalidId', 'Refused']);
    const told = RUN_STEPS.map((step) =>
      errors.reduce((sum, error) => (error.step === step ? sum + error.count : sum), 0),
    );
    expect(told).toEqual(failed.map((count, step) => (RUN_STEPS[step] === 'Filter' ? 0 : count)));
  }
});

describe('a cancel', () => {
  const cancelled = async (
    run: RunId,
    pipeline = fileImport(),
    cancel: RunCancel = { reason: 'Requested', actor: 'key2' },
  ): Promise<void> => {
    const live: LiveRun = {
      ...{ run, trigger: 'API', pipelineVersion: 1, incremental: false, cursor: null, slot: null },
      ...{ requestedAt: '2026-06-01T00:00:00.000Z' as never, actor: 'key1' },
      cancelled: cancel,
    };
    await installation.live(pipeline.id, live);
  };

  /** Who has done what from the request of the cancel on. */
  const factsOfCancel = async (run: RunId) => {
    const { facts } = await installation.ask('ListRunFacts', {
      ...{ id: run, seen: 0, limit: 1_000, cursor: '' },
    });
    const from = facts.findIndex(({ type }) => type.startsWith('RunCancel'));
    return facts.slice(from).map(({ type, actor }) => [type, actor]);
  };

  it('is on record with who has asked for it, before the end, whatever is recorded first', async () => {
    writeUsers();
    await installation.start();
    let isHeld = true;
    installation.warehouse.beforeWrite = () => until(() => !isHeld);
    const pipelines = [fileImport(), fileImport(), fileImport()] as const;
    const runs: RunId[] = [];
    for (const pipeline of pipelines) runs.push(await installation.request(pipeline));
    await until(async () =>
      (await Promise.all(runs.map((run) => installation.run(run)))).every(
        ({ status }) => status === 'Running',
      ),
    );
    // What is taken over of a state comes long after the worker has been told.
    await installation.pool.query(`
      CREATE FUNCTION penstock_runs.slow() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$;
      CREATE TRIGGER slow BEFORE INSERT ON penstock_runs.runs FOR EACH ROW EXECUTE FUNCTION penstock_runs.slow()`);
    const cancels: RunCancel[] = [
      { reason: 'Requested', actor: 'key2' },
      { reason: 'PipelineDeleted', actor: 'key3' },
      { reason: 'OrganizationDisabled' },
    ];
    for (const [at, run] of runs.entries()) await cancelled(run, pipelines[at], cancels[at]);
    const histories = [];
    for (const run of runs) {
      expect(await installation.ended(run)).toMatchObject({ status: 'Cancelled' });
      histories.push(await factsOfCancel(run));
    }
    expect(histories).toEqual(
      ['key2', 'key3', 'system'].map((actor) => [
        ['RunCancelRequested', actor],
        ['RunCancelled', 'system'],
      ]),
    );
    isHeld = false;
    await checkFolds(installation.pool);
  });

  it.each([
    ['that is performed', 4],
    ['that waits', 0],
  ])('by a change of the mode is told with that mode, of a run %s', async (_, places) => {
    await installation.users({ operationDelay: '1h' });
    await installation.start({ places });
    const pipelines = [applicationImport(), applicationImport()] as const;
    const runs: RunId[] = [];
    for (const pipeline of pipelines) runs.push(await installation.request(pipeline));
    if (places > 0)
      await until(async () =>
        (await Promise.all(runs.map((run) => installation.run(run)))).every(
          ({ status }) => status === 'Running',
        ),
      );
    // The mode is another one by now.
    await installation.changeMode('Maintenance');
    const reason = 'WarehouseModeChanged';
    const cancels: RunCancel[] = [{ reason, actor: 'key2', mode: 'Inspection' }, { reason }];
    for (const [at, run] of runs.entries()) await cancelled(run, pipelines[at], cancels[at]);
    const errors = [];
    for (const run of runs) errors.push((await installation.ended(run)).error);
    expect(errors).toEqual([
      'warehouse mode was changed to Inspection',
      // As an earlier release has published it, which told of no mode.
      'warehouse mode was changed to Maintenance',
    ]);
  });

  it('ends a run whose application does not answer, long before the answer or the end of its lease', async () => {
    await twoExecutors({ deadlineMs: 3_600_000 });
    await installation.users({ operationDelay: '1h' });
    const pipeline = applicationImport();
    const run = await installation.request(pipeline);
    await until(async () => (await installation.run(run)).status === 'Running');
    await cancelled(run, pipeline);
    const ended = await installation.ended(run);
    expect(ended).toMatchObject({ status: 'Cancelled', error: 'run was cancelled' });
    await until(() =>
      installation.ends.some((end) => end.run === run && end.status === 'Cancelled'),
    );
    expect(await factsOfCancel(run)).toEqual([
      ['RunCancelRequested', 'key2'],
      ['RunCancelled', 'system'],
    ]);
  });

  it.each(['its own worker', 'another one'])(
    'tells how many identities a run has removed that %s ends while it removes them',
    async (who) => {
      const { warehouse } = installation;
      for (const id of ['gone1', 'gone2', 'gone3', 'gone4', 'gone5'])
        warehouse.identities.set(id, { timeUs: 0n, tieBreaker: '', value: 'x' });
      const one = await installation.start();
      let isRemoving = false;
      warehouse.beforePiece = () => {
        isRemoving = true;
        return new Promise(() => undefined);
      };
      const pipeline = applicationImport();
      const run = await installation.request(pipeline);
      await until(() => isRemoving);
      expect(await installation.run(run)).toMatchObject({ status: 'Running', purged: 2 });
      if (who === 'another one') {
        await one.kill();
        await installation.start();
      }
      await cancelled(run, pipeline);
      expect(await installation.ended(run)).toMatchObject({ status: 'Cancelled', purged: 2 });
      const ends = async () =>
        (await installation.published()).flatMap(({ fact }) =>
          fact.type === 'RunCancelled' ? [fact.data] : [],
        );
      await until(async () => (await ends()).length > 0);
      expect(await ends()).toMatchObject([{ purged: 2 }]);
      expect(warehouse.identities.has('gone5')).toBe(true);
    },
  );

  it('tells how many identities a run has removed that fails since the rest cannot be removed', async () => {
    const { warehouse } = installation;
    let count = 0;
    const addThree = (): void => {
      for (let n = 0; n < 3; n += 1) {
        count += 1;
        warehouse.identities.set(`gone${count}`, { timeUs: 0n, tieBreaker: '', value: 'x' });
      }
    };
    addThree();
    await installation.start({ patienceMs: 600 });
    // The first piece succeeds each time, and never the rest.
    warehouse.beforePiece = () => {
      addThree();
      return Promise.reject(new WarehouseFault('unreachable', 'it is away'));
    };
    const run = await installation.ended(await installation.request(applicationImport()));
    expect(run).toMatchObject({
      status: 'Failed',
      error: expect.stringContaining(': it is away; ') as string,
    });
    expect(run.purged).toBeGreaterThan(0);
  });

  it('ends a run whose worker is lost, and none of its writes arrives afterwards', async () => {
    writeUsers();
    const one = await installation.start();
    let wake: () => void = () => undefined;
    let count = 0;
    installation.warehouse.beforeWrite = async () => {
      count += 1;
      if (count === 3) await new Promise<void>((resolve) => (wake = resolve));
    };
    const pipeline = fileImport();
    const run = await installation.request(pipeline);
    // Two batches are settled, the third one is being written, and the fourth one waits for it.
    await until(() => count === 4);
    await until(async () => (await installation.run(run)).progress?.passed[0] === 200);
    await one.kill();
    await installation.start();
    await cancelled(run, pipeline);
    const ended = await installation.ended(run);
    expect(ended).toMatchObject({
      status: 'Cancelled',
      passed: [200 - 0, 200, 180, 180, 180, 172],
    });
    const before = installation.warehouse.identities.size;
    wake();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(installation.warehouse.identities.size).toBe(before);
  });

  it('ends a run that waits', async () => {
    await installation.start({ places: 0 });
    const pipeline = fileImport();
    const run = await installation.request(pipeline);
    expect(await installation.run(run)).toMatchObject({ status: 'Queued' });
    await cancelled(run, pipeline);
    expect(await installation.ended(run)).toMatchObject({ status: 'Cancelled', attempt: 0 });
  });
});

describe('an import of which columns are missing', () => {
  const COLUMNS = { userID: 'id', updatedAt: null, updatedAtFormat: null };
  const importedWithout = async (missing: 'fail' | 'null', rows: readonly string[]) => {
    installation.writeFile('users.csv', rows);
    await installation.start();
    const pipeline = fileImport({}, { columns: { ...COLUMNS, missing } });
    return installation.ended(await installation.request(pipeline));
  };

  it('reads null instead, and says so, when it is to', async () => {
    const run = await importedWithout('null', ['id,email', 'u1,a', 'u2,b']);
    expect(run).toMatchObject({
      ...{ status: 'Succeeded', error: '', passed: [2, 2, 2, 2, 2, 2] },
      warnings: ['column "plan" is missing: null is read instead'],
    });
    expect(Object.values(installation.warehouse.values)).toEqual(['a', 'b']);
  });

  it('writes nothing of a column that is mapped', async () => {
    const run = await importedWithout('null', ['id,plan', 'u1,free', 'u2,none']);
    expect(run).toMatchObject({ status: 'Succeeded', passed: [2, 2, 1, 1, 1, 1] });
    expect(Object.values(installation.warehouse.values)).toEqual([undefined]);
  });

  it.each([
    ['fail', ['id,email', 'u1,a'], /^file users.csv: plan: /],
    ['null', ['email,plan', 'a,free'], /^file users.csv: id: /],
  ] as const)('fails with %s when %j are all', async (missing, rows, error) => {
    const run = await importedWithout(missing, rows);
    expect(run).toMatchObject({ status: 'Failed', error: expect.stringMatching(error) as string });
  });
});

it('shows what a run waits for, and keeps that among its warnings and its facts', async () => {
  writeUsers(10);
  let isAway = true;
  installation.warehouse.beforeWrite = () =>
    isAway ? Promise.reject(new WarehouseFault('unreachable', 'it is away')) : Promise.resolve();
  await installation.start({ patienceMs: 60_000 });
  const id = await installation.request(fileImport());
  await until(async () => (await installation.run(id)).waiting !== null);
  const { waiting, status } = await installation.run(id);
  expect([status, waiting]).toEqual([
    'Running',
    {
      since: expect.stringMatching(/Z$/) as string,
      reason: expect.stringContaining('it is away') as string,
      nextAttemptAt: expect.stringMatching(/Z$/) as string,
    },
  ]);
  expect(Date.parse(waiting?.nextAttemptAt ?? '')).toBeGreaterThan(
    Date.parse(waiting?.since ?? ''),
  );
  isAway = false;
  expect(await installation.ended(id)).toMatchObject({
    ...{ status: 'Succeeded', waiting: null },
    warnings: [`waited at Finalize: ${waiting?.reason}`],
  });
  const page = { id, seen: 0, limit: 100, cursor: '' };
  const { facts } = await installation.ask('ListRunFacts', page);
  const waits = facts.filter(({ type }) => type === 'RunWaiting');
  expect(waits.map(({ data }) => JSON.parse(data) as object)).toEqual([
    { epoch: 1, step: 'Finalize', reason: waiting?.reason },
  ]);
});

describe('a run fails as a whole', () => {
  beforeEach(() => installation.start({ patienceMs: 300, deadlineMs: 1_000 }));

  it.each([
    ['a file that is not there', {}, { path: 'missing.csv' }, /^file /, 'Receive'],
    [
      'columns that are not there',
      {},
      { formatSettings: '{"hasColumnNames":false}' },
      /^file users.csv: id: .*; email: .*; plan: .*; update the schemas/,
      'InputValidation',
    ],
    [
      'a profile that does not have the property',
      {
        outSchema:
          '{"kind":"object","properties":[{"name":"age","type":{"kind":"string"},"readOptional":true}]}',
      },
      {},
      /^profile schema: age: /,
      'OutputValidation',
    ],
  ])('for %s', async (_, members, source, message, step) => {
    writeUsers(10);
    const run = await installation.request(fileImport(members, source));
    const ended = await installation.ended(run);
    expect(ended).toMatchObject({ status: 'Failed', passed: [0, 0, 0, 0, 0, 0] });
    expect(ended.error).toMatch(message);
    const { facts } = await installation.ask('ListRunFacts', {
      ...{ id: run, seen: 0, limit: 100, cursor: '' },
    });
    expect(JSON.parse(facts.at(-1)?.data ?? '')).toMatchObject({ step });
  });

  it('for an application that does not answer', async () => {
    await installation.users({
      failures: [{ operation: 'read', at: 1, times: 1_000, status: 503 }],
    });
    const run = await installation.request(applicationImport());
    expect(await installation.ended(run)).toMatchObject({ status: 'Failed' });
  });
});

it('reads of an application only what was changed since the cursor, which moves', async () => {
  await installation.start();
  const since = '2024-01-01T00:15:01.000000Z';
  const run = await installation.request(applicationImport(), { incremental: true, cursor: since });
  expect(await installation.ended(run)).toMatchObject({
    status: 'Succeeded',
    incremental: true,
    passed: [100, 100, 100, 100, 100, 100],
    warnings: [],
  });
  await until(() => installation.ends.length > 0);
  expect(installation.ends[0]).toMatchObject({ cursor: '2024-01-01T00:16:40.000000Z' });
});

it('removes what is gone from the source after a full import, and transforms by functions', async () => {
  installation.warehouse.identities.set('gone', { timeUs: 0n, tieBreaker: '', value: 'x' });
  await installation.start();
  const source = `function transform(user) {
    if (user.email.startsWith('user-7@')) throw new Error(user.email);
    return { email: user.email.toUpperCase() };
  }`;
  const run = await installation.request(
    applicationImport({
      transformation: {
        mapping: null,
        function: {
          ...{ source, language: 'JavaScript', preserveJSON: false },
          ...{ inPaths: ['email'], outPaths: ['email'] },
        },
      },
    }),
  );
  expect(await installation.ended(run)).toMatchObject({
    status: 'Succeeded',
    passed: [1_000, 1_000, 1_000, 999, 999, 999],
    failed: [0, 0, 0, 1, 0, 0],
    purged: 1,
  });
  expect(installation.warehouse.values['dummy-5']).toBe('USER-5@EXAMPLE.COM');
  const errorsFor = async (withValues: boolean) => {
    const page = { id: run, seen: 0, limit: 10, cursor: '' };
    return (await installation.ask('ListRunErrors', { ...page, withValues })).errors;
  };
  const [error] = await errorsFor(false);
  expect(error).toMatchObject({
    ...{ step: 'Transformation', code: 'FunctionFailed', samples: ['dummy-7'], texts: [] },
    message: expect.stringMatching(/^JavaScript: Error( \(line 2, column \d+\))?$/) as string,
  });
  const [shown] = await errorsFor(true);
  expect(shown?.texts).toEqual([
    {
      sample: 'dummy-7',
      text: expect.stringMatching(
        /^JavaScript: Error: user-7@\S+ \(line 2, column \d+\)$/,
      ) as string,
    },
  ]);
  // Whoever reads the database, or the topic, sees no value.
  const { rows } = await installation.pool.query('SELECT texts::text FROM penstock_runs.errors');
  expect(JSON.stringify(rows)).toContain('dummy-7');
  expect(JSON.stringify([rows, await installation.published()])).not.toContain('user-7@');
});

describe('when the schema of profiles is changed during a run', () => {
  /** Changes the warehouse before a batch, and the configuration a little later. */
  const changeAt = (at: number, names: readonly string[]): void => {
    let count = 0;
    installation.warehouse.beforeWrite = async () => {
      count += 1;
      if (count !== at) return;
      installation.profilesVersion = 2;
      setTimeout(() => void installation.changeProfiles(2, names), 300);
      await Promise.resolve();
    };
  };

  it('goes on by the new one when the pipeline fits', async () => {
    writeUsers();
    await installation.start();
    changeAt(7, ['phone', 'email']);
    const run = await installation.request(fileImport());
    const ended = await installation.ended(run);
    expectWhole(ended);
    expect(ended.attempt).toBe(2);
  });

  it('fails at OutputValidation, naming the property, when it does not', async () => {
    writeUsers();
    await installation.start();
    changeAt(7, ['phone']);
    const run = await installation.request(fileImport());
    expect(await installation.ended(run)).toMatchObject({
      status: 'Failed',
      error: expect.stringContaining('email') as string,
    });
  });
});
