import type { ConnectionId, PipelineId, WorkspaceId } from '@penstock/contracts';
import { WarehouseFault } from '@penstock/warehouses';
import { until } from '@penstock/test-servers';
import {
  type Interception,
  ResolutionInstallation,
} from '../testing/resolution-installation.fixture';

jest.setTimeout(600_000);

let installation: ResolutionInstallation;

beforeEach(async () => {
  installation = await ResolutionInstallation.open();
});

afterEach(() => installation.close());

const CRM = 'source0000000001' as ConnectionId;
const WEB = 'source0000000002' as ConnectionId;
const pipelineOf = (connection: ConnectionId): PipelineId => `${connection}a` as PipelineId;

/** Ada is known to two sources, Bob to the one of which the pipeline is deleted. */
const people = async (): Promise<WorkspaceId> => {
  const workspace = await installation.workspace();
  await installation.write(workspace, CRM, [
    { recordId: 'ada', email: 'ada@example.com' },
    { recordId: 'bob', email: 'bob@example.com' },
  ]);
  await installation.write(workspace, WEB, [{ recordId: '7', email: 'ada@example.com' }]);
  return workspace;
};

const idsIn = async (workspace: WorkspaceId): Promise<readonly string[]> =>
  (await installation.identities(workspace)).map(({ recordId }) => recordId);

const passes = async (): Promise<readonly number[]> => {
  const { rows } = await installation.pool.query<{ pass: number }>(
    'SELECT pass FROM penstock_runs.removals WHERE lease_until IS NULL ORDER BY pass',
  );
  return rows.map(({ pass }) => pass);
};

const isDone = (pass = 1) => until(async () => (await passes()).includes(pass));

/** How often a resolution was asked for. */
const asked = (): number => installation.triggers.length;

it('removes what a deleted pipeline has written, asks for a resolution, and leaves others as they are', async () => {
  const workspace = await people();
  await installation.start();
  await installation.deletePipeline(workspace, CRM, pipelineOf(CRM));
  await isDone();
  expect(await idsIn(workspace)).toEqual(['7']);
  const command = expect.stringMatching(/^after removal /) as string;
  expect(installation.triggers).toEqual([{ workspace, trigger: 'Import', full: false, command }]);
});

it('does it once, however often executors start, and asks for nothing where nothing was written', async () => {
  const workspace = await people();
  await installation.deletePipeline(workspace, CRM, 'another000000001' as PipelineId);
  const executor = await installation.start();
  await isDone();
  await executor.close();
  await installation.start();
  await installation.deletePipeline(workspace, CRM, 'another000000002' as PipelineId);
  await until(async () => (await passes()).filter((pass) => pass === 1).length === 2);
  expect(asked()).toBe(0);
  expect(await idsIn(workspace)).toHaveLength(3);
});

it('waits while the warehouse may not be written, over a restart, and goes on afterwards', async () => {
  const workspace = await people();
  await installation.warehouse(workspace, {}, 'Maintenance');
  const executor = await installation.start();
  await installation.deletePipeline(workspace, CRM, pipelineOf(CRM));
  await until(async () => (await passes()).length === 1);
  await executor.close();
  expect(await idsIn(workspace)).toHaveLength(3);
  await installation.start();
  await installation.warehouse(workspace, {}, 'Normal');
  await isDone();
  expect(await idsIn(workspace)).toEqual(['7']);
});

/** A run of the pipeline that has not ended. */
const addRun = (workspace: WorkspaceId, pipeline: PipelineId): Promise<unknown> =>
  installation.pool.query(
    `INSERT INTO penstock_runs.runs (id, workspace, pipeline, connection, pipeline_name, pipeline_version, incremental,
                                     trigger, requested, status, lease_until)
     VALUES ('live', $1, $2, 'c', 'Users', 1, false, 'API', now(), 'Running', 'infinity')`,
    [workspace, pipeline],
  );

it('waits until the warehouse refuses what a run of the pipeline may still write', async () => {
  const workspace = await people();
  await installation.start();
  await addRun(workspace, pipelineOf(CRM));
  await installation.deletePipeline(workspace, CRM, pipelineOf(CRM));
  await installation.deletePipeline(workspace, WEB, pipelineOf(WEB));
  await isDone();
  expect(await idsIn(workspace)).toEqual(['ada', 'bob']);
  await installation.write(workspace, CRM, [{ recordId: 'eve' }]);
  await installation.pool.query(
    `UPDATE penstock_runs.runs SET ended = now(), status = 'Cancelled', told = true, cleaned = true`,
  );
  await until(async () => (await idsIn(workspace)).length === 0);
});

it('removes in a later pass what was written after the first one', async () => {
  const workspace = await people();
  await installation.start();
  await installation.deletePipeline(workspace, CRM, pipelineOf(CRM));
  await isDone();
  await installation.write(workspace, CRM, [{ recordId: 'eve' }]);
  await installation.pool.query('UPDATE penstock_runs.removals SET due = now()');
  await isDone(2);
  expect(await idsIn(workspace)).toEqual(['7']);
  expect(asked()).toBe(2);
  for (let pass = 2; pass < 7; pass += 1) {
    await installation.pool.query('UPDATE penstock_runs.removals SET due = now()');
    await isDone(pass + 1);
  }
  const { rows } = await installation.pool.query('SELECT owed FROM penstock_runs.removals');
  expect(rows).toEqual([{ owed: false }]);
  expect(asked()).toBe(2);
});

it('finds in the daily sweep what is left, and asks whether pipelines that it does not know were deleted', async () => {
  const workspace = await people();
  const [forgotten, unknown] = ['forgotten0000001', 'unknown000000001'] as ConnectionId[];
  await installation.write(workspace, forgotten!, [{ recordId: 'eve' }]);
  await installation.write(workspace, unknown!, [{ recordId: 'dan' }]);
  installation.record(
    installation.pipelineState(workspace, forgotten!, pipelineOf(forgotten!), true),
  );
  installation.record(installation.pipelineState(workspace, CRM, pipelineOf(CRM), false));
  await installation.start();
  await isDone();
  expect([...(await idsIn(workspace))].sort()).toEqual(['7', 'ada', 'bob', 'dan']);
});

it('removes nothing of a pipeline that the pipeline service knows as not deleted, or of another workspace', async () => {
  const workspace = await people();
  const elsewhere = 'workspace0000001' as WorkspaceId;
  installation.record(installation.pipelineState(workspace, CRM, pipelineOf(CRM), false));
  installation.record(installation.pipelineState(elsewhere, WEB, pipelineOf(WEB), true));
  await installation.start();
  await installation.publishDeletion(workspace, CRM, pipelineOf(CRM));
  await installation.publishDeletion(workspace, WEB, pipelineOf(WEB));
  await installation.deletePipeline(workspace, CRM, 'another000000001' as PipelineId);
  await until(async () => (await passes()).join() === '1');
  expect(await idsIn(workspace)).toEqual(['ada', 'bob', '7']);
});

it('waits until the pipeline service can be asked, also for what the daily sweep finds', async () => {
  const workspace = await people();
  installation.isAsked = false;
  const executor = await installation.start();
  await installation.deletePipeline(workspace, CRM, pipelineOf(CRM));
  await until(async () => {
    const { rows } = await installation.pool.query(
      'SELECT FROM penstock_runs.removals WHERE failures > 1',
    );
    const swept = await installation.pool.query('SELECT FROM penstock_runs.sweeps');
    return rows.length === 1 && swept.rows.length === 1;
  });
  expect(await idsIn(workspace)).toHaveLength(3);
  installation.isAsked = true;
  await isDone();
  expect(await idsIn(workspace)).toEqual(['7']);
  await executor.close();
});

it('tells what it waits for, and is never given up', async () => {
  const workspace = await people();
  let isAway = true;
  await installation.start({}, (method, work) => {
    if (method === 'remove' && isAway) throw new WarehouseFault('unreachable', 'it is away');
    return work();
  });
  await installation.deletePipeline(workspace, CRM, pipelineOf(CRM));
  await until(async () => {
    const { rows } = await installation.pool.query(
      `SELECT FROM penstock_runs.removals WHERE error = 'it is away' AND failures > 1`,
    );
    return rows.length === 1;
  });
  isAway = false;
  await isDone();
  expect(await idsIn(workspace)).toEqual(['7']);
});

/** Kills the executor at the n-th moment before or after a call. */
const killing = (at: number, kill: () => Promise<void>): Interception => {
  let moments = 0;
  const moment = async (): Promise<void> => {
    moments += 1;
    if (moments !== at) return;
    await kill();
    await new Promise(() => undefined);
  };
  return async (_, work) => {
    await moment();
    const result = await work();
    await moment();
    return result;
  };
};

it.each([1, 2, 3, 4, 6])('goes on when its executor is lost at moment %d', async (at) => {
  const workspace = await people();
  let isKilled = false;
  const lost = await installation.start(
    { stopMs: 200 },
    killing(at, async () => {
      await lost.kill();
      isKilled = true;
    }),
  );
  await installation.deletePipeline(workspace, CRM, pipelineOf(CRM));
  await until(() => isKilled);
  await installation.lapse();
  await installation.start();
  await isDone();
  expect(await idsIn(workspace)).toEqual(['7']);
  expect(asked()).toBe(1);
});

it('two executors remove many pipelines of two workspaces, and what others wrote stays', async () => {
  const workspaces = [await people(), await people()];
  await Promise.all([installation.start(), installation.start()]);
  for (const workspace of workspaces)
    for (const source of ['x', 'y', 'z']) {
      const connection = `${source}${workspace}` as ConnectionId;
      await installation.write(workspace, connection, [{ recordId: source }]);
      await installation.deletePipeline(workspace, connection, pipelineOf(connection));
    }
  await until(async () => (await passes()).filter((pass) => pass === 1).length === 6);
  expect(asked()).toBe(6);
  for (const workspace of workspaces)
    expect([...(await idsIn(workspace))].sort()).toEqual(['7', 'ada', 'bob']);
});
