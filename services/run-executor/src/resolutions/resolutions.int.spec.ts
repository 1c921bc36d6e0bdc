import type { WorkspaceId } from '@penstock/contracts';
import { WarehouseFault } from '@penstock/warehouses';
import { until } from '@penstock/test-servers';
import {
  ResolutionInstallation,
  type StoredIdentity,
  type WrittenIdentity,
} from '../testing/resolution-installation.fixture';

jest.setTimeout(600_000);

let installation: ResolutionInstallation;

beforeEach(async () => {
  installation = await ResolutionInstallation.open();
});

afterEach(() => installation.close());

const SOURCES = ['source0000000001', 'source0000000002', 'source0000000003'];

/** A few share an email, more a first name, some have neither. */
const someIdentities = (seed: number, count: number): readonly WrittenIdentity[] =>
  Array.from({ length: count }, (_, n) => {
    const chance = (n * 7_919 + seed * 104_729) % 10_007;
    return {
      recordId: `u${String(n)}`,
      ...(chance % 4 > 0 && { email: `e${String(chance % 29)}@example.com` }),
      ...(chance % 3 > 0 && { firstName: `f${String(chance % 23)}` }),
    };
  });

const writeSources = async (workspace: WorkspaceId, seed: number): Promise<void> => {
  for (const [at, source] of SOURCES.entries())
    await installation.write(workspace, source, someIdentities(seed + at, 40));
};

/** Whether the first identifier that both have is the same. */
const isJoined = (one: StoredIdentity, other: StoredIdentity): boolean => {
  if (one.email !== null && other.email !== null) return one.email === other.email;
  return one.firstName !== null && one.firstName === other.firstName;
};

/** Every pair, and what is connected: the number of the group of each. */
const naiveGroups = (rows: readonly StoredIdentity[]): readonly number[] => {
  const labels = rows.map((_, at) => at);
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const [at, one] of rows.entries())
      for (const [to, other] of rows.entries()) {
        if (!isJoined(one, other) || labels[at]! >= labels[to]!) continue;
        labels[to] = labels[at]!;
        isChanged = true;
      }
  }
  return labels;
};

const expectResolved = async (workspace: WorkspaceId): Promise<void> => {
  const rows = await installation.identities(workspace);
  const profiles = rows.map(({ profile }) => profile);
  expect(profiles).not.toContain(null);
  const firstOf = profiles.map((profile) => profiles.indexOf(profile));
  expect(firstOf).toEqual(naiveGroups(rows));
  const live = new Set<string>();
  for (const { fact } of await installation.published(workspace)) {
    if (fact.type === 'ProfileCreated') live.add(fact.id);
    if (fact.type === 'ProfileDeleted') live.delete(fact.id);
    if (fact.type === 'ProfilesMerged') fact.absorbed.forEach((id) => live.delete(id));
    if (fact.type === 'ProfileSplit') fact.created.forEach((id) => live.add(id));
  }
  expect(live).toEqual(new Set(profiles));
};

it('resolves, tells how, and publishes what has become of profiles', async () => {
  const workspace = await installation.workspace();
  await writeSources(workspace, 1);
  await installation.start();
  expect(await installation.latest(workspace)).toMatchObject({
    ...{ startTime: null, endTime: null, trigger: null, progress: null, pending: 120 },
  });
  const resolution = await installation.resolve(workspace, { trigger: 'Import' });
  expect(await installation.ended(resolution)).toMatchObject({ status: 'Succeeded', error: '' });
  await expectResolved(workspace);
  expect(await installation.latest(workspace)).toMatchObject({
    ...{ trigger: 'Import', full: false, error: '', progress: null, pending: 0, warnings: [] },
    ...{ identities: 120, endTime: expect.any(String) as string },
  });
  const again = await installation.resolve(workspace);
  await installation.ended(again);
  expect(await installation.latest(workspace)).toMatchObject({ identities: 0, created: 0 });
});

it('warns of values that very many share, and keeps them sealed', async () => {
  const workspace = await installation.workspace();
  const email = 'everybody@example.com';
  await installation.write(
    workspace,
    SOURCES[0]!,
    Array.from({ length: 1_001 }, (_, n) => ({ recordId: `u${String(n)}`, email })),
  );
  await installation.start({ resolutionBatch: 1_000 });
  await installation.ended(await installation.resolve(workspace));
  const { warnings } = await installation.latest(workspace);
  expect(warnings).toEqual([{ identifier: 'email', value: email, identities: 1_001 }]);
  const { rows } = await installation.pool.query(
    'SELECT to_json(r)::text AS row FROM penstock_runs.resolutions r',
  );
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('everybody');
});

it('counts blocked values as none, and goes by them from the next full one on', async () => {
  const workspace = await installation.workspace();
  const identities = [1, 2].map((n) => ({ recordId: `u${n}`, email: 'none@example.com' }));
  await installation.write(workspace, SOURCES[0]!, identities);
  await installation.start();
  await installation.ended(await installation.resolve(workspace));
  const profiles = async () =>
    new Set((await installation.identities(workspace)).map(({ profile }) => profile)).size;
  expect(await profiles()).toBe(1);
  const email = installation.seal(workspace, ['none@example.com']);
  await installation.warehouse(workspace, { blockedValues: { email: email } });
  await installation.ended(await installation.resolve(workspace, { full: true }));
  expect(await profiles()).toBe(2);
});

it('goes on after the loss of a worker, which does no harm when it wakes up', async () => {
  const workspaces = [await installation.workspace(), await installation.workspace()];
  for (const [at, workspace] of workspaces.entries()) await writeSources(workspace, at);
  let batches = 0;
  let wake: () => void = () => undefined;
  const awake = new Promise<void>((resolve) => (wake = resolve));
  const late: unknown[] = [];
  // The lease of the late worker is long: nothing but the warehouse tells it that another has its work.
  const first = await installation.start({}, async (method, work) => {
    if (method !== 'resolve') return work();
    batches += 1;
    if (batches <= 6) return work();
    await awake;
    return work().catch((error: unknown) => {
      late.push(error);
      throw error;
    });
  });
  const resolutions = await Promise.all(
    workspaces.map((workspace) => installation.resolve(workspace, { full: true })),
  );
  await until(() => batches > 6);
  await first.kill();
  await installation.lapse();
  let isApart = 0;
  await installation.start({}, (method, work) => {
    if (method === 'takeApart') isApart += 1;
    return work();
  });
  for (const resolution of resolutions)
    expect(await installation.ended(resolution)).toMatchObject({ status: 'Succeeded' });
  expect(isApart).toBe(0);
  wake();
  await until(() => late.length > 0);
  for (const error of late) expect(error).toMatchObject({ kind: 'fenced' });
  for (const workspace of workspaces) await expectResolved(workspace);
});

it('publishes what a lost worker has left, whether or not it had appended it', async () => {
  const workspace = await installation.workspace();
  await writeSources(workspace, 5);
  const first = await installation.start({}, (method, work) =>
    method === 'forgetFacts' ? new Promise(() => undefined) : work(),
  );
  const resolution = await installation.resolve(workspace);
  await until(async () => (await installation.published(workspace)).length > 0);
  await first.kill();
  await installation.lapse();
  await installation.start();
  await installation.ended(resolution);
  await expectResolved(workspace);
});

it('cancels at once, also when its worker is stuck, and leaves marked what is not resolved', async () => {
  const workspace = await installation.workspace();
  await writeSources(workspace, 9);
  let batches = 0;
  await installation.start({}, (method, work) => {
    if (method !== 'resolve') return work();
    batches += 1;
    return batches === 3 ? new Promise(() => undefined) : work();
  });
  const resolution = await installation.resolve(workspace);
  await until(() => batches === 3);
  await installation.cancel(workspace);
  expect(await installation.ended(resolution)).toMatchObject({ status: 'Cancelled', error: '' });
  const { pending, identities } = await installation.latest(workspace);
  expect(pending + identities).toBe(120);
  expect(pending).toBeGreaterThan(0);
  await installation.ended(await installation.resolve(workspace));
  await expectResolved(workspace);
});

it('is cancelled when the warehouse leaves mode Normal, also before it has begun', async () => {
  const workspace = await installation.workspace();
  await writeSources(workspace, 2);
  let batches = 0;
  await installation.start({}, (method, work) => {
    if (method !== 'resolve') return work();
    batches += 1;
    return batches === 2 ? new Promise(() => undefined) : work();
  });
  const begun = await installation.resolve(workspace);
  await until(() => batches === 2);
  await installation.warehouse(workspace, {}, 'Inspection');
  expect(await installation.ended(begun)).toMatchObject({ status: 'Cancelled' });
  const waiting = await installation.resolve(workspace);
  expect(await installation.ended(waiting)).toMatchObject({ status: 'Cancelled' });
  expect(batches).toBe(2);
});

it('is ended when its workspace is deleted', async () => {
  const workspace = await installation.workspace();
  await writeSources(workspace, 2);
  let batches = 0;
  await installation.start({}, (method, work) => {
    if (method !== 'resolve') return work();
    batches += 1;
    return batches === 2 ? new Promise(() => undefined) : work();
  });
  await installation.resolve(workspace);
  await until(() => batches === 2);
  await installation.remove(workspace);
  await until(async () => {
    const { rowCount } = await installation.pool.query(
      'SELECT FROM penstock_runs.resolutions WHERE ended IS NULL',
    );
    return rowCount === 0;
  });
});

it('tries again for some time what fails, then ends with the error, and is asked for again', async () => {
  const workspace = await installation.workspace();
  await writeSources(workspace, 3);
  let failures = 0;
  await installation.start({ patienceMs: 5_000, resolutionRetryMs: 100 }, (method, work) => {
    if (method !== 'resolve') return work();
    failures += 1;
    return Promise.reject(new WarehouseFault('unreachable', 'there is no answer'));
  });
  const resolution = await installation.resolve(workspace, { full: true, trigger: 'Settings' });
  expect(await installation.ended(resolution)).toMatchObject({
    ...{ status: 'Failed', error: 'there is no answer' },
  });
  expect(failures).toBeGreaterThan(2);
  expect((await installation.latest(workspace)).error).toBe('there is no answer');
  await until(() => installation.triggers.length > 0);
  expect(installation.triggers).toEqual([
    { workspace, trigger: 'Settings', full: false, command: `after resolution ${resolution}` },
  ]);
});

it('gives its place to others after a time', async () => {
  const workspaces = [await installation.workspace(), await installation.workspace()];
  for (const [at, workspace] of workspaces.entries()) await writeSources(workspace, at);
  const order: string[] = [];
  const options = { resolutions: 1, resolutionSliceMs: 0, resolutionBatch: 60 };
  const [one, other] = await Promise.all(
    workspaces.map((workspace) => installation.resolve(workspace, { full: true })),
  );
  await installation.start(options, (method, work) => {
    if (method === 'takeApart') order.push('apart');
    return work();
  });
  await until(() => order.length === 2);
  expect(installation.ends).toEqual([]);
  await installation.ended(one!);
  await installation.ended(other!);
  for (const workspace of workspaces) await expectResolved(workspace);
});
