import type { JobId, PipelineId, WorkspaceId } from '@penstock/contracts';
import type { Checkpoint, LeasedReplay, NewDifference, ReplayRequest } from './replay-job';
import type { ReplayLeases } from './replay-leases';
import type { NewReplay } from './replays';
import { noCounts, noExamples } from './slice-results';

/** Milliseconds of a lease in the stores of the contract. */
export const LEASE_MS = 10_000;

/** What the store has of a replay. */
interface Stored {
  readonly state: string;
  readonly reason: string;
  readonly positions: readonly number[];
  readonly events: number;
  /** Offsets of the differences that are kept. */
  readonly differences: readonly number[];
}

/** Access of the contract to the store of one test, which each adapter's spec implements. */
export interface LeasesHarness {
  /** The leases of a process. */
  readonly open: (member: string) => ReplayLeases;
  readonly create: (replay: NewReplay) => Promise<void>;
  readonly cancel: (replay: NewReplay) => Promise<void>;
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<void>;
  readonly stored: (replay: NewReplay) => Promise<Stored>;
}

const REQUEST: ReplayRequest = {
  mode: 'shadow',
  from: '2026-03-01T00:00:00.000Z' as ReplayRequest['from'],
  to: '2026-03-02T00:00:00.000Z' as ReplayRequest['to'],
  filter: null,
  version: 3,
  draft: null,
  sources: ['source000000001' as ReplayRequest['sources'][number]],
  ordering: 'key',
};

const replayOf = (number: number, workspace = 'workspace00000a'): NewReplay => ({
  id: `replay0000000${String(number)}` as JobId,
  command: null,
  workspace: workspace as WorkspaceId,
  pipeline: `pipeline00000${String(number)}` as PipelineId,
  actor: 'key0000000001',
  request: REQUEST,
  parts: [
    { start: 5, end: 9 },
    { start: 0, end: 3 },
  ],
});

const differenceAt = (offset: number): NewDifference => ({
  ...{ partition: 0, offset, kind: 'Different', messageId: `m${String(offset)}` },
  ...{ source: 'source000000001' as NewDifference['source'], receivedMs: 1_700_000_000_000 },
  ...{ userId: undefined, previousId: undefined, before: null, now: null },
});

const checkpointAt = (
  positions: readonly number[],
  events: number,
  given: Partial<Checkpoint> = {},
): Checkpoint => ({
  ...{ positions, rate: 1, differences: [], kept: noExamples() },
  counts: { ...noCounts(), events },
  ...given,
});

/** Leases the replay whose turn it is. @throws Error when there is none. */
const leased = async (leases: ReplayLeases): Promise<LeasedReplay> => {
  const found = await leases.next();
  if (found === undefined) throw new Error('there is no replay');
  return found;
};

/** The contract of all adapters of the port. Each test begins with an empty store. */
export const itLeasesReplays = ({ open, create, cancel, pass, stored }: LeasesHarness): void => {
  it('leases a replay as it was created, to one member at a time', async () => {
    const [one, other] = [open('one'), open('other')];
    expect(await one.next()).toBeUndefined();
    const replay = replayOf(1);
    await create(replay);
    const { id, workspace, pipeline, request, parts } = replay;
    expect(await one.next()).toEqual({
      ...{ id, workspace, pipeline, request, parts, positions: [5, 0], revision: 0, epoch: 1 },
      ...{ counts: noCounts(), kept: noExamples() },
    });
    expect(await other.next()).toBeUndefined();
    expect(await one.next()).toMatchObject({ id, epoch: 2 });
  });

  it('lets another member take a replay over when its lease has lapsed or was given back, under a higher epoch', async () => {
    const [one, other] = [open('one'), open('other')];
    await create(replayOf(1));
    const first = await leased(one);
    await pass(LEASE_MS - 1_000);
    expect(await one.renew(first)).toBe(true);
    await pass(LEASE_MS - 1_000);
    expect(await other.next()).toBeUndefined();
    await pass(2_000);
    const second = await leased(other);
    expect(second.epoch).toBe(first.epoch + 1);
    expect(await one.renew(first)).toBe(false);
    await one.release(first);
    expect(await one.next()).toBeUndefined();
    await other.release(second);
    expect(await leased(one)).toMatchObject({ epoch: second.epoch + 1 });
  });

  it('serves workspaces in turn, and within one the replay that was served longest ago', async () => {
    const leases = open('one');
    for (const number of [1, 2, 3]) await create(replayOf(number));
    await create(replayOf(4, 'workspace00000b'));
    const turns: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const { id, epoch } = await leased(leases);
      await leases.release({ id, epoch });
      await pass(1_000);
      turns.push(id.slice(-1));
    }
    expect(turns).toEqual(['1', '4', '2', '4', '3', '4']);
  });

  it('goes on from the last checkpoint', async () => {
    const [one, other] = [open('one'), open('other')];
    await create(replayOf(1));
    const lease = await leased(one);
    const first = checkpointAt([7, 0], 2, { differences: [differenceAt(6)] });
    expect(await one.checkpoint(lease, first)).toBe(true);
    await one.release(lease);
    const next = await leased(other);
    expect(next).toMatchObject({ positions: [7, 0], revision: 1, counts: { events: 2 } });
    expect(await other.checkpoint(next, checkpointAt([9, 0], 4))).toBe(true);
    expect(await stored(replayOf(1))).toEqual({
      ...{ state: 'Running', reason: '', positions: [9, 0], events: 4, differences: [6] },
    });
  });

  it('writes nothing of an earlier owner, of a repeated checkpoint, or of a replay that has ended', async () => {
    const [one, other] = [open('one'), open('other')];
    await create(replayOf(1));
    const lost = await leased(one);
    await one.release(lost);
    const lease = await leased(other);
    const late = checkpointAt([8, 0], 3, { differences: [differenceAt(7)] });
    expect(await one.checkpoint(lost, late)).toBe(false);
    expect(await other.checkpoint(lease, checkpointAt([6, 0], 1))).toBe(true);
    expect(await other.checkpoint(lease, late)).toBe(false);
    await cancel(replayOf(1));
    expect(await other.checkpoint({ ...lease, revision: 1 }, late)).toBe(false);
    expect(await other.renew(lease)).toBe(false);
    expect(await other.next()).toBeUndefined();
    expect(await stored(replayOf(1))).toEqual({
      ...{ state: 'Cancelled', reason: '', positions: [6, 0], events: 1, differences: [] },
    });
  });

  it('ends a replay with a checkpoint, once', async () => {
    const leases = open('one');
    await create(replayOf(1));
    const lease = await leased(leases);
    const ending = { state: 'Failed', reason: 'it has to be' } as const;
    expect(await leases.checkpoint(lease, checkpointAt([9, 3], 5, { ending }))).toBe(true);
    const again = checkpointAt([9, 3], 9, { ending: { state: 'Succeeded', reason: '' } });
    expect(await leases.checkpoint({ ...lease, revision: 1 }, again)).toBe(false);
    await cancel(replayOf(1));
    expect(await stored(replayOf(1))).toEqual({
      ...{ state: 'Failed', reason: 'it has to be', positions: [9, 3], events: 5, differences: [] },
    });
  });
};
