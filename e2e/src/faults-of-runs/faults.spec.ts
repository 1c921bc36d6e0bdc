import { Client } from 'pg';
import { ApiClient, ApiError } from '../harness/api-client';
import { showingOutput } from '../harness/installation';
import { until } from '../harness/until';
import { formsOf, IS_LONG, sized } from '../router-faults/sizes';
import { HeldStages } from './held-stages';
import { ImportedPipeline, type ShownRun, UsersFile } from './imported-pipeline';
import { SeveralExecutors } from './several-executors';
import { newWorkspace, withoutResolutions } from './workspaces';

jest.setTimeout(240_000);

const RECORDS = sized(300, 1_000);
const BATCH = RECORDS / 10;
/** One of the sixth batch, which is merged. */
const HELD = sized('u165', 'u550');
/** Schemas of the workspaces, each with five pipelines. */
const SCHEMAS = sized(['first'], ['first', 'second']);
/** Identities that a later file has no more, one for each part of the spec. */
const GONE = ['gone1', 'gone2', 'gone3'];
/** Source: the specification of runs, "Failures in the middle". */
const RESUMED_MS = 15_000;
/** Less than the ten seconds of a lease. */
const CANCELLED_MS = 8_000;
const HANDED_BACK_MS = 8_000;

const TERMINAL = /^Run(Succeeded|Failed|Cancelled)$/;

const AUDIT_VERIFY = 'run-executor/dist/audit-verify-main.js';

const FORMS = formsOf(
  { form: 'on PostgreSQL', brokers: 0 as const },
  { form: 'on Kafka', brokers: 1 as const },
);

describe.each(FORMS)('runs $form', ({ brokers }) => {
  let executors: SeveralExecutors;
  let file: UsersFile;
  let held: HeldStages;
  /** One for each workspace. */
  let apis: ApiClient[];
  /** Five of each workspace. */
  let pipelines: ImportedPipeline[];

  const databaseUrl = (): string => executors.several.databaseUrl;

  const pipelinesOf = async (workspace: string, schema: string): Promise<ImportedPipeline[]> => {
    const { address, apiKey } = executors.several;
    const api = new ApiClient(address, apiKey, { workspace });
    apis.push(api);
    await withoutResolutions(api);
    const create = () => ImportedPipeline.create(api, schema, databaseUrl);
    return Promise.all(Array.from({ length: 5 }, create));
  };

  beforeAll(async () => {
    executors = await SeveralExecutors.start(brokers, BATCH);
    held = new HeldStages(databaseUrl);
    const { address, apiKey } = executors.several;
    const api = new ApiClient(address, apiKey);
    pipelines = [];
    apis = [];
    for (const schema of SCHEMAS)
      pipelines.push(
        ...(await pipelinesOf(await newWorkspace(api, schema, databaseUrl()), schema)),
      );
    file = new UsersFile(executors.root, RECORDS);
    file.write('first', 0, GONE);
    await Promise.all([executors.add(), executors.add()]);
    await Promise.all(
      pipelines.map(async (each) => {
        const run = await each.ended(await each.begin());
        expect(run).toMatchObject({ status: 'Succeeded', ...file.totals(GONE.length), attempt: 1 });
      }),
    );
  });

  afterAll(async () => {
    await held.releaseAll();
    await executors.destroy();
  });

  /** A run of each pipeline but two, each at another stage: the first four of each workspace. */
  const heldRuns = (gone: string): Promise<readonly string[]> =>
    Promise.all(
      pipelines.map(async (pipeline, index) => {
        const begin = () => pipeline.begin();
        const stages = [
          () => held.inBatch(pipeline, HELD, begin),
          () => held.beforeSettlement(pipeline, HELD, begin),
          () => held.inPurge(pipeline, gone, begin),
          () => held.inEnd(pipeline, gone, begin),
        ];
        const stage = stages[index % 5];
        return stage === undefined ? '' : (await stage()).run;
      }),
    );

  /** Requests a run of the pipelines that have none yet: it stays queued. */
  const queued = async (runs: readonly string[]): Promise<readonly string[]> => {
    await held.beforeClaim();
    return Promise.all(pipelines.map(async (pipeline, index) => runs[index] || pipeline.begin()));
  };

  const endedOf = (runs: readonly string[]): Promise<readonly ShownRun[]> =>
    Promise.all(pipelines.map((pipeline, index) => pipeline.ended(runs[index] ?? '')));

  /** When each run was claimed last. */
  const claimedMs = (runs: readonly string[]): Promise<readonly number[]> =>
    Promise.all(
      pipelines.map(async (pipeline, index) => {
        const facts = await pipeline.history(runs[index] ?? '');
        const claim = facts.findLast(({ type }) => type === 'RunClaimed');
        return Date.parse(claim?.time ?? '');
      }),
    );

  /** Whatever has happened, runs and warehouse are as without it, apart from this one. */
  const expectUndisturbed = async (
    runs: readonly string[],
    version: string,
    others: readonly string[],
    but?: number,
  ): Promise<void> => {
    const expected = new Map([
      ...file.identities(version),
      ...others.map((id) => [id, version] as const),
    ]);
    for (const [index, pipeline] of pipelines.entries()) {
      const run = runs[index] ?? '';
      const facts = await pipeline.history(run);
      expect(facts.filter(({ type }) => TERMINAL.test(type))).toHaveLength(1);
      expect(facts.at(-1)?.type).toMatch(TERMINAL);
      if (index === but) continue;
      expect(await pipeline.get(run)).toMatchObject({
        ...{ status: 'Succeeded', error: '', ...file.totals(others.length) },
      });
      expect(await pipeline.identities()).toEqual(expected);
    }
    const audit = await executors.several.configuration.run(AUDIT_VERIFY);
    expect(audit).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('no difference') as string,
    });
  };

  const shown = (work: () => Promise<void>) =>
    showingOutput(
      () => ({ services: executors.several.services }),
      () =>
        work().catch((error: unknown) => {
          process.stderr.write(executors.outputTail);
          throw error;
        }),
    );

  it('go on at every stage when one executor freezes and another is killed, and the database too', () =>
    shown(async () => {
      file.write('second', 1, GONE.slice(1));
      const [frozen, killed] = executors.all;
      const runs = await queued(await heldRuns('gone1'));
      const third = await executors.add();
      executors.freeze(frozen!);
      await killed!.kill9();

      // While the statement of its batch still waits.
      const [cancelled] = pipelines;
      await cancelled!.cancel(runs[0]!);
      const askedMs = Date.now();
      expect(await cancelled!.ended(runs[0]!)).toMatchObject({
        ...{ status: 'Cancelled', error: 'run was cancelled' },
      });
      const last = (await cancelled!.history(runs[0]!)).at(-1);
      if (IS_LONG) expect(Date.parse(last?.time ?? '') - askedMs).toBeLessThan(CANCELLED_MS);

      const lostMs = Date.now();
      if (!IS_LONG) await executors.several.killDatabase();
      await held.releaseAll();
      await endedOf(runs);
      const resumedMs = (await claimedMs(runs)).map((each) => each - lostMs);
      if (IS_LONG)
        expect(Math.max(...resumedMs.filter((_, index) => index !== 0))).toBeLessThan(RESUMED_MS);
      await expectUndisturbed(runs, 'second', GONE.slice(1), 0);

      executors.thaw(frozen!);
      await until('the executor that was frozen is ready', () => isReady(frozen!.opsAddress));
      // It is alone from now on, so that it must have left what it has lost before it performs another run.
      expect(await third.stop()).toBe(0);
      const next = await cancelled!.ended(await cancelled!.begin());
      expect(next).toMatchObject({ status: 'Succeeded', ...file.totals(GONE.slice(1).length) });
      await expectUndisturbed(runs, 'second', GONE.slice(1), 0);
    })());

  if (IS_LONG) {
    it('go on at every stage when PostgreSQL is killed', () =>
      shown(async () => {
        file.write('third', 2, GONE.slice(2));
        // What a cancelled run has written stays, and what it would have removed is removed by the next one.
        const runs = await queued(await heldRuns('gone2'));
        await executors.several.killDatabase();
        await held.releaseAll();
        if (executors.several.cluster) await executors.several.cluster.nodes[0]?.restart();
        await endedOf(runs);
        await expectUndisturbed(runs, 'third', GONE.slice(2));
      })());

    it('are handed over at once by executors that stop', () =>
      shown(async () => {
        file.write('fourth', 3);
        const runs = await queued(await heldRuns('gone3'));
        const leaving = executors.all.filter(({ pid }) => pid !== undefined);
        await executors.add();
        const stoppedMs = Date.now();
        const stopping = leaving.map((each) => each.stop());
        // What waits for a row is left behind before it gets it.
        await new Promise((resolve) => setTimeout(resolve, 300));
        await held.releaseAll();
        await Promise.all(stopping);
        await endedOf(runs);
        const handedMs = (await claimedMs(runs)).map((each) => each - stoppedMs);
        expect(Math.max(...handedMs)).toBeLessThan(HANDED_BACK_MS);
        await expectUndisturbed(runs, 'fourth', []);
      })());
  }

  it('are cancelled by a mode that forbids them, or keep it out, and nothing is written afterwards', () =>
    shown(async () => {
      const [api] = apis as [ApiClient];
      const pipeline = pipelines[1]!;
      const setMode = (mode: string, cancelIncompatibleOperations: boolean): Promise<unknown> =>
        api.call('PUT', '/v1/warehouse/mode', { mode, cancelIncompatibleOperations });
      file.write('of another mode', 4);
      const { run, release } = await held.inBatch(pipeline, HELD, () => pipeline.begin());
      for (const mode of ['Inspection', 'Maintenance'])
        await expect(setMode(mode, false)).rejects.toMatchObject({
          status: 422,
          body: expect.stringContaining('OperationAlreadyExecuting') as string,
        });
      expect(await pipeline.get(run)).toMatchObject({ status: 'Running' });
      expect(await api.call('GET', '/v1/warehouse')).toMatchObject({ mode: 'Normal' });

      await setMode('Inspection', true);
      expect(await pipeline.get(run)).toMatchObject({
        status: 'Cancelled',
        error: 'warehouse mode was changed to Inspection',
        progress: null,
      });
      expect((await pipeline.history(run)).at(-1)?.type).toBe('RunCancelled');
      const before = await pipeline.identities();
      expect(before.get(HELD)).toBe(sized('second', 'fourth'));
      await release();
      await until('no statement about identities is left', async () => !(await isWriting()));
      expect(await pipeline.identities()).toEqual(before);
      const refusal = await pipeline.begin().catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(ApiError);
      expect((refusal as ApiError).body).toContain('InspectionMode');

      await setMode('Normal', false);
      expect(await pipeline.ended(await pipeline.begin())).toMatchObject({
        ...{ status: 'Succeeded', ...file.totals() },
      });
      expect(await pipeline.identities()).toEqual(file.identities('of another mode'));
    })());

  /** Whether another session is executing a statement about identities. */
  const isWriting = async (): Promise<boolean> => {
    const client = new Client({ connectionString: databaseUrl() });
    await client.connect();
    try {
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity
          WHERE state <> 'idle' AND strpos(query, '_identities') > 0 AND pid <> pg_backend_pid()`,
      );
      return (rowCount ?? 0) > 0;
    } finally {
      await client.end();
    }
  };
});

const isReady = async (opsAddress: string): Promise<boolean> =>
  (await fetch(`${opsAddress}/readyz`).catch(() => undefined))?.ok === true;
