import type { JobId } from '@penstock/contracts';
import {
  type Checkpoint,
  type LeasedReplay,
  type NewDifference,
  type ReplayEnding,
  type ReplayLease,
} from './replay-job';
import { ReplayLeases } from './replay-leases';
import type { NewReplay } from './replays';
import { noCounts, noExamples } from './slice-results';

/** A shadow replay in memory. */
interface MemoryReplay {
  leased: LeasedReplay;
  state: 'Running' | ReplayEnding['state'];
  reason: string;
  owner: string;
  untilMs: number;
  servedMs: number;
  readonly differences: NewDifference[];
}

/** The shadow replays that several {@link MemoryReplayLeases} share, as processes share a database. For tests. */
export class MemoryReplays {
  private readonly replays = new Map<JobId, MemoryReplay>();

  constructor(readonly nowMs: () => number) {}

  /** In the order of their ids. */
  get all(): readonly MemoryReplay[] {
    return [...this.replays.values()].sort(({ leased: a }, { leased: b }) =>
      a.id < b.id ? -1 : 1,
    );
  }

  create({ id, workspace, pipeline, request, parts }: NewReplay): void {
    const positions = parts.map(({ start }) => start);
    const begun = { epoch: 0, revision: 0, counts: noCounts(), kept: noExamples() };
    this.replays.set(id, {
      leased: { id, workspace, pipeline, request, parts, positions, ...begun },
      ...{ state: 'Running', reason: '', owner: '', differences: [] },
      ...{ untilMs: -Infinity, servedMs: -Infinity },
    });
  }

  /** Undefined: there is none with this id. */
  find(id: JobId): MemoryReplay | undefined {
    return this.replays.get(id);
  }

  cancel(id: JobId): void {
    const found = this.replays.get(id);
    if (found?.state === 'Running') found.state = 'Cancelled';
  }
}

/** The leases of one process on the replays of {@link MemoryReplays}. For tests. */
export class MemoryReplayLeases extends ReplayLeases {
  /** @param leaseMs time without a renewal after which another member takes a replay over. */
  constructor(
    private readonly replays: MemoryReplays,
    private readonly member: string,
    private readonly leaseMs: number,
  ) {
    super();
  }

  override next(): Promise<LeasedReplay | undefined> {
    const nowMs = this.replays.nowMs();
    const running = this.replays.all.filter(({ state }) => state === 'Running');
    const servedOf = ({ leased: { workspace } }: MemoryReplay): number =>
      Math.max(
        ...running
          .filter(({ leased }) => leased.workspace === workspace)
          .map((own) => own.servedMs),
      );
    const byTurn = (one: MemoryReplay, other: MemoryReplay): number =>
      compared(servedOf(one), servedOf(other)) || compared(one.servedMs, other.servedMs);
    const [found] = running
      .filter(({ owner, untilMs }) => owner === this.member || untilMs < nowMs)
      .sort(byTurn);
    if (found === undefined) return Promise.resolve(undefined);
    found.leased = { ...found.leased, epoch: found.leased.epoch + 1 };
    Object.assign(found, { owner: this.member, servedMs: nowMs, untilMs: nowMs + this.leaseMs });
    return Promise.resolve(found.leased);
  }

  override renew(lease: ReplayLease): Promise<boolean> {
    const found = this.held(lease);
    if (found !== undefined) found.untilMs = this.replays.nowMs() + this.leaseMs;
    return Promise.resolve(found !== undefined);
  }

  override release({ id, epoch }: ReplayLease): Promise<void> {
    const found = this.replays.find(id);
    if (found?.leased.epoch === epoch) Object.assign(found, { owner: '', untilMs: -Infinity });
    return Promise.resolve();
  }

  override checkpoint(replay: LeasedReplay, checkpoint: Checkpoint): Promise<boolean> {
    const found = this.held(replay);
    if (found?.leased.revision !== replay.revision) return Promise.resolve(false);
    const { positions, counts, kept, differences, ending } = checkpoint;
    found.leased = { ...found.leased, positions, counts, kept, revision: replay.revision + 1 };
    found.untilMs = this.replays.nowMs() + this.leaseMs;
    found.differences.push(...differences);
    if (ending !== undefined) Object.assign(found, ending);
    return Promise.resolve(true);
  }

  /** The running replay of a lease that holds. */
  private held({ id, epoch }: ReplayLease): MemoryReplay | undefined {
    const found = this.replays.find(id);
    return found?.state === 'Running' && found.leased.epoch === epoch ? found : undefined;
  }
}

/** As a difference of numbers, infinite ones included. */
const compared = (one: number, other: number): number => (one < other ? -1 : Number(one > other));
