import {
  instant,
  type OrganizationId,
  type ResolutionId,
  type WorkspaceId,
} from '@penstock/contracts';
import { LeaseLost } from '../engine/lease-lost';
import { LEASE_MS, StoreDatabase } from '../store/store.fixture';
import { PostgresResolutionStore } from './postgres-resolution-store';
import type { AcceptedResolution, ResolutionEnding } from './resolution-store';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
let store: PostgresResolutionStore;

beforeEach(async () => {
  await (await database.open()).prepare();
  store = new PostgresResolutionStore(database.pool, { leaseMs: LEASE_MS });
});

const accepted = (members: Partial<AcceptedResolution> = {}): AcceptedResolution => ({
  workspace: 'workspace0000001' as WorkspaceId,
  organization: 'organization0001' as OrganizationId,
  resolution: 'resolution000001' as ResolutionId,
  ...{ version: 1, trigger: 'API', full: false, startedAt: instant(new Date(0)) },
  isCancelled: false,
  ...members,
});

const SUCCEEDED: ResolutionEnding = { status: 'Succeeded', error: '', warnings: null };

const acceptAll = async (...resolutions: readonly AcceptedResolution[]): Promise<void> => {
  for (const each of resolutions) await store.accept(each);
};

const claimed = async (worker = 'one') => {
  const claim = await store.claim(worker);
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
};

/** Moves every time that the store has noted into the past. */
const pass = (ms: number) =>
  database.pool.query(
    `UPDATE penstock_runs.resolutions
        SET lease_until = lease_until - $1 * interval '1 millisecond', due = due - $1 * interval '1 millisecond',
            cancel_at = cancel_at - $1 * interval '1 millisecond', ended = ended - $1 * interval '1 millisecond',
            trouble_since = trouble_since - $1 * interval '1 millisecond'`,
    [ms],
  );

it('gives a resolution to one worker until its lease has lapsed, then to another, who goes on', async () => {
  await store.accept(accepted({ full: true }));
  const first = await claimed();
  expect(first).toMatchObject({ epoch: 1, mustTakeApart: true, failures: 0, troubleMs: 0 });
  await store.tookApart(first);
  const counts = { identities: 3, created: 2, merged: 1, split: 0, deleted: 0 };
  await store.progress(first, counts);
  expect(await store.claim('two')).toBeUndefined();
  await pass(LEASE_MS - 1_000);
  expect(await store.claim('two')).toBeUndefined();
  await pass(1_001);
  const second = await claimed('two');
  expect(second).toMatchObject({ epoch: 2, mustTakeApart: false });
  expect(await store.renew(first)).toBe(false);
  for (const late of [
    () => store.progress(first, counts),
    () => store.tookApart(first),
    () => store.end(first, SUCCEEDED),
  ])
    await expect(late()).rejects.toBeInstanceOf(LeaseLost);
  expect(await store.renew(second)).toBe(true);
  await store.progress(second, counts);
  await store.end(second, SUCCEEDED);
  await expect(store.end(second, SUCCEEDED)).rejects.toBeInstanceOf(LeaseLost);
  expect(await store.latest('workspace0000001')).toMatchObject({ identities: 6, merged: 2 });
});

it('follows the newest of a workspace, and never begins its epochs anew', async () => {
  await store.accept(accepted());
  await store.end(await claimed(), SUCCEEDED);
  const next = { resolution: 'resolution000002' as ResolutionId, version: 3 };
  await acceptAll(accepted({ version: 2 }), accepted(next), accepted({ version: 2 }));
  const claim = await claimed();
  expect(claim).toMatchObject({ resolution: next.resolution, epoch: 2 });
  await acceptAll(accepted(next), accepted({ ...next, version: 4 }));
  expect(await store.renew(claim)).toBe(true);
  expect(await store.claim('two')).toBeUndefined();
});

it('takes over to the next one that profiles have still to be taken apart', async () => {
  await store.accept(accepted({ full: true }));
  await store.end(await claimed(), { status: 'Cancelled', error: '', warnings: null });
  const next = { resolution: 'resolution000002' as ResolutionId, version: 2 };
  await store.accept(accepted(next));
  const claim = await claimed();
  expect(claim.mustTakeApart).toBe(true);
  expect(await store.latest('workspace0000001')).toMatchObject({ full: false });
  await store.tookApart(claim);
  await store.end(claim, SUCCEEDED);
  await store.accept(accepted({ resolution: 'resolution000003' as ResolutionId, version: 3 }));
  expect((await claimed()).mustTakeApart).toBe(false);
});

it('leaves what has failed alone for some time, and knows since when it fails', async () => {
  await store.accept(accepted());
  await store.postpone(await claimed(), 5_000);
  await pass(4_000);
  expect(await store.claim('one')).toBeUndefined();
  expect(await store.hasWaiting()).toBe(false);
  await pass(1_001);
  expect(await store.hasWaiting()).toBe(true);
  const claim = await claimed();
  expect(claim.failures).toBe(1);
  expect(claim.troubleMs).toBeGreaterThanOrEqual(5_001);
  await store.progress(claim, { identities: 1, created: 1, merged: 0, split: 0, deleted: 0 });
  await store.release(claim);
  expect(await claimed()).toMatchObject({ failures: 0, troubleMs: 0 });
});

it('is not kept by a renewal that comes after it was given back or postponed', async () => {
  await store.accept(accepted());
  const first = await claimed();
  await store.release(first);
  expect(await store.renew(first)).toBe(false);
  const second = await claimed();
  await store.postpone(second, 0);
  expect(await store.renew(second)).toBe(false);
  await claimed();
});

it('counts a batch of nothing as no progress', async () => {
  await store.accept(accepted());
  await store.postpone(await claimed(), 0);
  const claim = await claimed();
  const nothing = { identities: 0, created: 0, merged: 0, split: 0, deleted: 0 };
  await store.progress(claim, nothing);
  await store.postpone(claim, 0);
  expect((await claimed()).failures).toBe(2);
});

it('lets organizations take turns, also with one that has many workspaces', async () => {
  const many = [1, 2, 3, 4].map((n) =>
    accepted({ workspace: `a${n}` as WorkspaceId, organization: 'a' as OrganizationId }),
  );
  const few = accepted({ workspace: 'b1' as WorkspaceId, organization: 'b' as OrganizationId });
  await acceptAll(...many, few);
  const order = [await claimed(), await claimed(), await claimed()].map((each) => each.workspace);
  expect(order).toEqual(['a1', 'b1', 'a2']);
});

it('hands over what is to be cancelled: at once what nobody has, else after a time', async () => {
  await store.accept(accepted());
  await store.requestCancel(accepted().workspace, 'another000000001' as ResolutionId);
  expect(await store.takeCancelled(1_000)).toEqual([]);
  const claim = await claimed();
  await store.requestCancel(claim.workspace, claim.resolution);
  expect(await store.takeCancelled(1_000)).toEqual([]);
  await pass(1_001);
  const [taken] = await store.takeCancelled(1_000);
  expect(taken).toMatchObject({ workspace: claim.workspace, epoch: 2, wasClaimed: true });
  expect(await store.takeCancelled(1_000)).toEqual([]);
  expect(await store.renew(claim)).toBe(false);
  await store.end(taken!, { status: 'Cancelled', error: '', warnings: null });
  await store.accept(accepted({ resolution: 'resolution000002' as ResolutionId, version: 2 }));
  await store.requestCancel(claim.workspace, 'resolution000002' as ResolutionId);
  expect(await store.claim('one')).toBeUndefined();
  expect(await store.takeCancelled(1_000)).toHaveLength(1);
});

it('gives nobody what is to be cancelled already when it is taken over', async () => {
  const cancelled = accepted({ isCancelled: true });
  await store.accept(cancelled);
  expect(await store.claim('one')).toBeUndefined();
  const [taken] = await store.takeCancelled(1_000);
  expect(taken).toMatchObject({ epoch: 1, wasClaimed: false });
  await store.end(taken!, { status: 'Cancelled', error: '', warnings: null });
  await store.accept(accepted({ resolution: 'resolution000002' as ResolutionId, version: 2 }));
  expect(await claimed()).toMatchObject({ epoch: 2 });
});

it('lists what is to be told, and what is to be tried again ten minutes after it has failed', async () => {
  await store.accept(accepted({ full: true }));
  const { workspace, resolution, ...claim } = await claimed();
  await store.end(
    { ...claim, workspace, resolution },
    { status: 'Failed', error: 'away\0', warnings: null },
  );
  const [untold] = await store.untold(10, []);
  expect(untold).toMatchObject({ workspace, resolution, status: 'Failed', error: 'away\uFFFD' });
  expect(await store.untold(10, [workspace])).toEqual([]);
  await pass(600_000);
  expect(await store.toRetry(600_000, 10, [])).toEqual([]);
  await store.told(workspace, resolution);
  expect(await store.untold(10, [])).toEqual([]);
  expect(await store.toRetry(700_000, 10, [])).toEqual([]);
  expect(await store.toRetry(600_000, 10, [workspace])).toEqual([]);
  expect(await store.toRetry(600_000, 10, [])).toEqual([
    { workspace, resolution, trigger: 'API', full: true },
  ]);
  await store.retried(workspace, resolution);
  expect(await store.toRetry(600_000, 10, [])).toEqual([]);
});

describe('looks into warehouses', () => {
  const workspace = 'workspace0000001' as WorkspaceId;
  const other = 'workspace0000002' as WorkspaceId;
  const looks = (heldMs = 60_000) =>
    Promise.all([store.takeLook(workspace, heldMs), store.takeLook(workspace, heldMs)]);
  const due = async () => [...(await store.dueLooks())].sort();

  it('are those of one process at a time, of what is due', async () => {
    expect(await looks()).toEqual([false, false]);
    await store.enrolLooks([other, workspace], 0);
    expect(await due()).toEqual([workspace, other]);
    expect((await looks()).filter(Boolean)).toHaveLength(1);
    expect(await due()).toEqual([other]);
    expect(await looks()).toEqual([false, false]);
    await store.lookAgain(workspace, 0, 0);
    expect((await looks()).filter(Boolean)).toHaveLength(1);
  });

  it('come again when the process is lost that has taken one', async () => {
    await store.enrolLooks([workspace], 0);
    await looks(0);
    expect(await due()).toEqual([workspace]);
    expect((await looks()).filter(Boolean)).toHaveLength(1);
    expect(await due()).toEqual([]);
  });

  it('are brought forward, never put off, also while one is under way', async () => {
    await store.enrolLooks([workspace], 0);
    await store.enrolLooks([workspace, other], 3_600_000);
    await store.lookWithin([{ workspace, ms: 3_600_000 }]);
    expect(await due()).toEqual([workspace]);
    await looks();
    await store.lookWithin([
      { workspace: other, ms: 0 },
      { workspace, ms: 0 },
    ]);
    expect(await due()).toEqual([other]);
    await store.lookAgain(workspace, 3_600_000, 0);
    expect(await due()).toEqual([workspace, other]);
    await looks();
    await store.lookAgain(workspace, 0, 60_000);
    expect(await due()).toEqual([other]);
  });

  it('are noted by many at once', async () => {
    const all = Array.from({ length: 50 }, (_, n) => `workspace${String(n)}` as WorkspaceId);
    const given = all.map((each) => ({ workspace: each, ms: 0 }));
    await Promise.all([
      ...[store.lookWithin(given), store.lookWithin([...given].reverse())],
      ...[store.enrolLooks(all, 1_000), store.enrolLooks([...all].reverse(), 1_000)],
    ]);
    expect(await due()).toHaveLength(50);
  });
});

it('is gone with the workspace', async () => {
  await store.accept(accepted());
  const runs = await database.open();
  expect(await runs.workspaces()).toEqual([accepted().workspace]);
  await runs.erase(accepted().workspace);
  expect(await store.latest(accepted().workspace)).toBeUndefined();
});
