import type { LeaseGrant, Roll } from '../router-store';
import type { MemoryDatabase } from './memory-database';
import type { MemoryPartition } from './memory-partition';

/** Time after the end of a lease before it is free, for an owner that notices the end late. */
const MARGIN_MS = 1_000;

/** The leases and the members of a {@link MemoryDatabase}. */
export class MemoryLeases {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly member: string,
    private readonly leaseMs: number,
  ) {}

  beat(partitions: number): Roll {
    const { members } = this.database;
    const nowMs = this.database.nowMs();
    members.set(this.member, {
      sinceMs: members.get(this.member)?.sinceMs ?? nowMs,
      seenMs: nowMs,
    });
    const leases = Array.from({ length: partitions }, (_, number) => {
      const partition = this.database.partition(number);
      return { partition: number, member: partition.member, isFree: this.isFree(partition) };
    });
    return { members: this.living(), leases };
  }

  /** The ids of all live members, the oldest first. */
  living(): string[] {
    const oldestMs = this.database.nowMs() - this.leaseMs;
    return [...this.database.members]
      .filter(([id, { seenMs }]) => seenMs >= oldestMs && !this.database.isDead(id))
      .sort(([a, one], [b, other]) => one.sinceMs - other.sinceMs || (a < b ? -1 : 1))
      .map(([id]) => id);
  }

  acquire(partitions: readonly number[]): LeaseGrant[] {
    return [...partitions]
      .sort((a, b) => a - b)
      .map((number) => [number, this.database.partition(number)] as const)
      .filter(([, each]) => this.isFree(each) || each.member === this.member)
      .map(([number, each]) => {
        each.epoch += 1;
        each.member = this.member;
        this.extend(each);
        return { partition: number, epoch: each.epoch };
      });
  }

  renew(grants: readonly LeaseGrant[]): number[] {
    const held = grants.filter((grant) => this.isHeld(grant));
    for (const { partition } of held) this.extend(this.database.partition(partition));
    return held.map(({ partition }) => partition);
  }

  release(grants: readonly LeaseGrant[]): void {
    for (const grant of grants)
      if (this.isHeld(grant)) this.database.partition(grant.partition).member = null;
  }

  sweep(): void {
    const oldestMs = this.database.nowMs() - this.leaseMs;
    for (const [id, { seenMs }] of this.database.members)
      if (seenMs < oldestMs) this.database.members.delete(id);
  }

  isHeld({ partition, epoch }: LeaseGrant): boolean {
    return this.database.partition(partition).epoch === epoch;
  }

  private isFree({ member, freeFromMs }: MemoryPartition): boolean {
    return member === null || freeFromMs < this.database.nowMs() || this.database.isDead(member);
  }

  private extend(partition: MemoryPartition): void {
    partition.freeFromMs = this.database.nowMs() + this.leaseMs + MARGIN_MS;
  }
}
