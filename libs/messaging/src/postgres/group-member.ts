import { randomUUID } from 'node:crypto';
import type { Subscribe, Subscription } from '../message-log';
import { Assignment } from './assignment';
import {
  type Balance,
  balance,
  type Claim,
  enter,
  leave,
  LEASE_MS,
  type Member,
  movePositions,
  release,
} from './claims';
import type { Database } from './database';
import { Feed } from './feed';
import type { LogEnds } from './log-ends';
import { PositionWriter } from './position-writer';
import type { Topic } from './topics';

const HEARTBEAT_MS = 3_000;

export interface MemberOptions extends Subscribe {
  readonly onFault: (what: string, error: unknown) => void;
}

interface Held {
  readonly claim: Claim;
  readonly assignment: Assignment;
  /** Set while the partition is being handed over. */
  departure?: Promise<void>;
}

/**
 * A member of a group. Partitions are handed over cooperatively: their holder releases them when its batch has ended,
 * and only then another member claims them; those of a silent member are free after its lease.
 */
export class GroupMember implements Subscription {
  readonly ended: Promise<Error | undefined>;
  private readonly member: Member;
  private readonly feed: Feed;
  private readonly positions: PositionWriter;
  private readonly held = new Map<number, Held>();
  private leaseUntilMs = 0;
  private balancing: Promise<void> | undefined;
  private isRepeatRequested = false;
  private heartbeat: NodeJS.Timeout | undefined;
  private stopping: Promise<void> | undefined;
  private end!: (cause: Error | undefined) => void;

  constructor(
    private readonly database: Database,
    private readonly ends: LogEnds,
    private readonly topic: Topic,
    private readonly options: MemberOptions,
  ) {
    this.member = { id: randomUUID(), group: options.group, topicId: topic.id };
    this.positions = new PositionWriter((moves) => movePositions(database, this.member, moves));
    this.ended = new Promise((resolve) => (this.end = resolve));
    this.feed = new Feed(database, ends, {
      topic,
      onBatch: options.onBatch,
      maxRecords: options.maxRecords,
      onFault: options.onFault,
      mayDeliver: () => performance.now() < this.leaseUntilMs,
      ...(options.onAssigned ? {} : { onMoved: this.moved }),
    });
  }

  /** @throws LogUnavailable */
  async join(): Promise<void> {
    await enter(this.database, this.member, this.topic.partitionIds.length);
    this.heartbeat = setInterval(() => void this.nudge(), HEARTBEAT_MS);
    await this.ends.look(this.topic.partitionIds);
    await this.nudge();
  }

  async commit(partition: number, nextOffset: number): Promise<void> {
    const held = this.held.get(partition);
    if (!held) throw new Error(`partition ${partition} is not held`);
    await this.positions.write({ ...held.claim, position: nextOffset });
  }

  stop(): Promise<void> {
    this.stopping ??= this.leave();
    return this.stopping;
  }

  /** Balances again after a change of the group. */
  onGroupChange(group: string): void {
    if (this.heartbeat && group === this.options.group) void this.nudge();
  }

  private async leave(): Promise<void> {
    clearInterval(this.heartbeat);
    await this.balancing;
    await this.revoke([...this.held.keys()]);
    await this.feed.close();
    await leave(this.database, this.member).catch((error: unknown) => {
      this.options.onFault('cannot leave the group', error);
    });
    this.end(undefined);
  }

  /** Balances now, or once more after the balance in progress. */
  private nudge(): Promise<void> {
    if (this.stopping) return Promise.resolve();
    this.isRepeatRequested = this.balancing !== undefined;
    this.balancing ??= this.balance().finally(() => {
      this.balancing = undefined;
      if (this.isRepeatRequested) void this.nudge();
    });
    return this.balancing;
  }

  private async balance(): Promise<void> {
    const startMs = performance.now();
    try {
      const present = await balance(this.database, this.member);
      this.leaseUntilMs = startMs + LEASE_MS;
      this.adopt(present);
    } catch (error) {
      this.options.onFault(`cannot keep the place in group ${this.options.group}`, error);
    }
  }

  private adopt({ claimed, held, giveUp }: Balance): void {
    const lost = [...this.held].filter(
      ([partition, { claim }]) => held.get(partition) !== claim.epoch,
    );
    void this.revoke([...lost.map(([partition]) => partition), ...giveUp]);
    this.assign(claimed);
    const orphans = [...held].filter(([partition]) => !this.held.has(partition));
    if (orphans.length > 0)
      void this.release(orphans.map(([partition, epoch]) => ({ partition, epoch })));
    this.feed.wake();
  }

  private readonly moved = (partition: number, position: number): void => {
    const held = this.held.get(partition);
    if (held) this.positions.put({ ...held.claim, position });
  };

  private assign(claims: readonly Claim[]): void {
    if (claims.length === 0) return;
    const { onAssigned, onFault } = this.options;
    const assignment = new Assignment(claims, {
      onAssigned,
      onFault,
      start: (partition, offset) => {
        this.feed.add(partition, offset);
      },
      before: this.departures(claims.map(({ partition }) => partition)),
    });
    for (const claim of claims) this.held.set(claim.partition, { claim, assignment });
  }

  private async revoke(partitions: readonly number[]): Promise<void> {
    const leaving = partitions.flatMap((partition) => {
      const held = this.held.get(partition);
      return held && !held.departure ? [held] : [];
    });
    const departure = this.handOver(leaving);
    for (const held of leaving) held.departure = departure;
    await Promise.all(this.departures(partitions));
  }

  private departures(partitions: readonly number[]): Promise<void>[] {
    return partitions.flatMap((partition) => this.held.get(partition)?.departure ?? []);
  }

  private async handOver(leaving: readonly Held[]): Promise<void> {
    if (leaving.length === 0) return;
    const { onRevoked, onFault } = this.options;
    const partitions = leaving.map(({ claim }) => claim.partition);
    for (const { assignment, claim } of leaving) assignment.leave(claim.partition);
    await Promise.all(leaving.map(({ assignment }) => assignment.settled));
    await this.feed.remove(partitions);
    try {
      await onRevoked?.(partitions);
    } catch (error) {
      onFault('onRevoked has failed', error);
    }
    await this.positions.settle();
    for (const held of leaving)
      if (this.held.get(held.claim.partition) === held) this.held.delete(held.claim.partition);
    await this.release(leaving.map(({ claim }) => claim));
  }

  /** When it fails, the next balance finds partitions that are held without an assignment, and retries. */
  private async release(claims: readonly Pick<Claim, 'partition' | 'epoch'>[]): Promise<void> {
    await release(this.database, this.member, claims).catch((error: unknown) => {
      this.options.onFault('cannot hand partitions over', error);
    });
  }
}
