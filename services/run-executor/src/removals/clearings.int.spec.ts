import type { ConnectionId, PipelineId, WorkspaceId } from '@penstock/contracts';
import { until } from '@penstock/test-servers';
import { ResolutionInstallation } from '../testing/resolution-installation.fixture';

jest.setTimeout(600_000);

let installation: ResolutionInstallation;

beforeEach(async () => {
  installation = await ResolutionInstallation.open();
});

afterEach(() => installation.close());

const WEB = 'source0000000001' as ConnectionId;
const PIPELINE = `${WEB}a` as PipelineId;
const BOTH = ['email', 'first_name'];

const ada = async (): Promise<WorkspaceId> => {
  const workspace = await installation.workspace();
  await write(workspace);
  return workspace;
};

const write = (workspace: WorkspaceId): Promise<void> =>
  installation.write(workspace, WEB, [{ recordId: 'ada', email: 'a@b', firstName: 'Ada' }]);

const publish = (workspace: WorkspaceId, version: number, names: readonly string[]) =>
  installation.pipeline(workspace, WEB, PIPELINE, version, names);

interface RemovalRow {
  readonly version: number;
  readonly owed: boolean;
  readonly pass: number;
}

const removal = async (): Promise<RemovalRow | undefined> => {
  const { rows } = await installation.pool.query<RemovalRow>(
    'SELECT version, owed, pass FROM penstock_runs.removals WHERE lease_until IS NULL',
  );
  return rows[0];
};

const isAt = (version: number, pass: number) =>
  until(async () => {
    const row = await removal();
    return row?.version === version && row.pass === pass;
  });

const emailOf = async (workspace: WorkspaceId) =>
  (await installation.identities(workspace))[0]?.email;
const nameOf = async (workspace: WorkspaceId) =>
  (await installation.identities(workspace))[0]?.firstName;

it('clears what an update writes no more, once, and asks for a resolution', async () => {
  const workspace = await ada();
  await publish(workspace, 1, BOTH);
  const executor = await installation.start();
  await isAt(1, 0);
  expect(await removal()).toMatchObject({ owed: false });
  await publish(workspace, 2, BOTH);
  await isAt(2, 0);
  expect(installation.triggers).toEqual([]);
  await publish(workspace, 3, ['first_name']);
  await isAt(3, 1);
  expect([await emailOf(workspace), await nameOf(workspace)]).toEqual([null, 'Ada']);
  const command = expect.stringMatching(/^after removal /) as string;
  expect(installation.triggers).toEqual([{ workspace, trigger: 'Import', full: false, command }]);
  await executor.close();
  await installation.start();
  await publish(workspace, 4, BOTH);
  await write(workspace);
  await isAt(4, 1);
  expect(await removal()).toMatchObject({ owed: false });
  expect([await emailOf(workspace), await nameOf(workspace)]).toEqual(['a@b', 'Ada']);
});

it('clears in a later pass what was written late by the version before', async () => {
  const workspace = await ada();
  await publish(workspace, 1, BOTH);
  await installation.start();
  await isAt(1, 0);
  await publish(workspace, 2, ['email']);
  await isAt(2, 1);
  await write(workspace);
  expect(await nameOf(workspace)).toBe('Ada');
  await installation.pool.query('UPDATE penstock_runs.removals SET due = now()');
  await isAt(2, 2);
  expect(await nameOf(workspace)).toBeNull();
});

it('clears what was lost while no executor was there, and nothing where it has not seen what was written before', async () => {
  const workspace = await ada();
  await publish(workspace, 5, BOTH);
  const executor = await installation.start();
  await isAt(5, 0);
  await executor.close();
  await publish(workspace, 6, ['email']);
  await installation.start();
  await isAt(6, 1);
  expect([await emailOf(workspace), await nameOf(workspace)]).toEqual(['a@b', null]);
});

it('clears all that was written when the pipeline has no transformation any more', async () => {
  const workspace = await ada();
  await publish(workspace, 1, BOTH);
  await installation.start();
  await isAt(1, 0);
  await publish(workspace, 2, []);
  await isAt(2, 1);
  expect([await emailOf(workspace), await nameOf(workspace)]).toEqual([null, null]);
  await publish(workspace, 3, BOTH);
  await write(workspace);
  await isAt(3, 1);
  expect(await removal()).toMatchObject({ owed: false });
  expect([await emailOf(workspace), await nameOf(workspace)]).toEqual(['a@b', 'Ada']);
});

/** Waits until a removal is postponed for this reason. */
const isPostponed = (error: string) =>
  until(async () => {
    const { rows } = await installation.pool.query(
      'SELECT FROM penstock_runs.removals WHERE error = $1 AND lease_until IS NULL',
      [error],
    );
    return rows.length === 1;
  });

it('clears nothing that the pipeline has written of a property that was renamed between two passes', async () => {
  const workspace = await ada();
  await publish(workspace, 1, BOTH);
  await installation.start();
  await isAt(1, 0);
  await publish(workspace, 2, ['email']);
  await isAt(2, 1);
  await installation.renameEmail(workspace);
  await installation.pool.query('UPDATE penstock_runs.removals SET due = now()');
  await isPostponed('the pipeline does not fit the schema of profiles');
  expect(await installation.valuesOf(workspace, 'mail')).toEqual(['a@b']);
  await publish(workspace, 3, ['mail']);
  await isAt(3, 1);
  expect(await installation.valuesOf(workspace, 'mail')).toEqual(['a@b']);
  await installation.pool.query('UPDATE penstock_runs.removals SET due = now()');
  await isAt(3, 2);
  expect(await installation.valuesOf(workspace, 'mail')).toEqual(['a@b']);
});

it('clears nothing by a version that is not the newest one any more, though this process does not know', async () => {
  const workspace = await ada();
  await publish(workspace, 1, BOTH);
  await installation.start();
  await isAt(1, 0);
  await installation.warehouse(workspace, {}, 'Inspection');
  await publish(workspace, 2, ['email']);
  await isAt(2, 0);
  installation.record(installation.versionOf(workspace, WEB, PIPELINE, 3, BOTH));
  await installation.warehouse(workspace, {}, 'Normal');
  await isPostponed('the pipeline was changed');
  expect(await nameOf(workspace)).toBe('Ada');
  await publish(workspace, 3, BOTH);
  await isAt(3, 0);
  expect(await removal()).toMatchObject({ owed: false });
  expect(await nameOf(workspace)).toBe('Ada');
});

it('waits for a run of an earlier version, and not for one of this version', async () => {
  const workspace = await ada();
  await publish(workspace, 1, BOTH);
  await installation.start();
  await isAt(1, 0);
  await installation.pool.query(
    `INSERT INTO penstock_runs.runs (id, workspace, pipeline, connection, pipeline_name, pipeline_version, incremental,
                                     trigger, requested, status, lease_until)
     VALUES ('live', $1, $2, 'c', 'Users', 1, false, 'API', now(), 'Running', 'infinity')`,
    [workspace, PIPELINE],
  );
  await publish(workspace, 2, ['email']);
  await isAt(2, 0);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await nameOf(workspace)).toBe('Ada');
  await installation.pool.query('UPDATE penstock_runs.runs SET pipeline_version = 2');
  await isAt(2, 1);
  expect(await nameOf(workspace)).toBeNull();
});

it('removes all of it when the pipeline is deleted while it is owed', async () => {
  const workspace = await ada();
  await installation.warehouse(workspace, {}, 'Inspection');
  await publish(workspace, 1, BOTH);
  await installation.start();
  await isAt(1, 0);
  await publish(workspace, 2, ['email']);
  await isAt(2, 0);
  await installation.deletePipeline(workspace, WEB, PIPELINE);
  await installation.warehouse(workspace, {}, 'Normal');
  await until(async () => (await installation.identities(workspace)).length === 0);
});

it.each([2, 4])('goes on when its executor is lost at moment %d', async (at) => {
  const workspace = await ada();
  await publish(workspace, 1, BOTH);
  let moments = 0;
  let isKilled = false;
  const lost = await installation.start({ stopMs: 200 }, async (_, work) => {
    const result = await work();
    moments += 2;
    if (moments !== at) return result;
    await lost.kill();
    isKilled = true;
    return new Promise(() => undefined);
  });
  await isAt(1, 0);
  await publish(workspace, 2, ['email']);
  await until(() => isKilled);
  await installation.lapse();
  await installation.start();
  await isAt(2, 1);
  expect([await emailOf(workspace), await nameOf(workspace)]).toEqual(['a@b', null]);
  expect(installation.triggers).toHaveLength(1);
});
