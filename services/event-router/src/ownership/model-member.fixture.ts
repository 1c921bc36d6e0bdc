import type { LeaseGrant, PartitionProgress } from '../store/router-store';
import { aborted } from '../time/aborted';
import type { Clock } from '../time/clock';
import { type Fault, Faults, flakyStore } from './faults.fixture';
import type { LeaseTable } from './lease-table.fixture';
import { Ownership } from './ownership';
import { OwnershipHost } from './ownership-host';
import { ProcessClock } from './process-clock.fixture';

/** A host that checks what `Ownership` guarantees, and reports violations to `breach`. */
class ModelHost extends OwnershipHost {
  readonly has = new Map<number, number>();
  private readonly inHand = new Map<number, number>();

  constructor(
    private readonly member: ModelMember,
    private readonly clock: ProcessClock,
    private readonly table: LeaseTable,
    private readonly world: Clock,
    private readonly faults: Faults,
    private readonly breach: (what: string) => void,
  ) {
    super();
  }

  override async take(
    { partition, epoch }: LeaseGrant,
    _: PartitionProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const row = this.table.rows.get(partition);
    if (this.inHand.has(partition)) this.breach('taken twice');
    if (row?.member !== this.member.name || row.untilMs < this.world.nowMs())
      this.breach('taken without lease');
    if (!this.member.ownership.holds(partition)) this.breach('taken while it does not hold');
    this.inHand.set(partition, epoch);
    await this.work(signal);
    if (this.inHand.get(partition) === epoch) this.has.set(partition, epoch);
  }

  override async leave(partition: number, deadline: AbortSignal): Promise<void> {
    const epoch = this.inHand.get(partition);
    if (epoch === undefined || !this.has.has(partition)) this.breach('left without being taken');
    await this.work(deadline);
    if (this.inHand.get(partition) !== epoch) return;
    this.has.delete(partition);
    this.inHand.delete(partition);
  }

  override lost(partition: number): void {
    if (!this.inHand.has(partition)) this.breach('lost without being taken');
    this.has.delete(partition);
    this.inHand.delete(partition);
  }

  /** Whether it may send events of the partition. */
  works(partition: number): boolean {
    return this.inHand.has(partition);
  }

  /** Hangs and ignores the signal, or works until it is done or the signal aborts. */
  private async work(signal: AbortSignal): Promise<void> {
    const { beforeMs, afterMs, kind } = this.faults.next();
    if (kind === 'hangs') return this.faults.hang();
    await Promise.race([this.clock.sleep(beforeMs + afterMs), aborted(signal)]);
    if (kind !== 'none') throw new Error('the engine failed');
  }
}

/** The ownership of one router, in a process that can be frozen and killed. */
export class ModelMember {
  readonly clock: ProcessClock;
  readonly ownership: Ownership;
  readonly host: ModelHost;
  readonly faults: Faults;
  isDead = false;
  isStopping = false;
  isStopped = false;

  constructor(
    readonly name: string,
    offsetMs: number,
    faults: readonly Fault[],
    { world, table, breach }: { world: Clock; table: LeaseTable; breach: (what: string) => void },
  ) {
    this.clock = new ProcessClock(world, offsetMs);
    this.faults = new Faults(faults);
    const report = (what: string): void => {
      breach(`${name}: ${what}`);
    };
    this.host = new ModelHost(this, this.clock, table, world, this.faults, report);
    const onRenew = (grants: readonly LeaseGrant[]): void => {
      const states = this.ownership.states();
      for (const { partition } of grants)
        if (!['restoring', 'owned', 'leaving'].includes(states.get(partition) ?? ''))
          report(`renews ${String(partition)}, which is ${String(states.get(partition))}`);
    };
    const store = flakyStore(table, world, this.clock, this.faults, onRenew, name);
    const options = { leaseMs: table.leaseMs, takeMs: 15_000 };
    this.ownership = new Ownership(store, this.clock, options, this.host, () => undefined);
  }

  stop(): void {
    this.isStopping = true;
    void this.ownership.stop().then(() => (this.isStopped = true));
  }

  kill(): void {
    this.isDead = true;
    this.clock.die();
  }
}
