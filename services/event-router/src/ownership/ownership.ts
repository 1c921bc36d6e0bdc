import type { LeaseGrant, Roll } from '../store/router-store';
import type { Clock } from '../time/clock';
import { Unanswered, within } from '../time/within';
import { insist } from './insist';
import type { LeaseState } from './lease-state';
import type { LeaseStore } from './lease-store';
import type { OwnershipHost } from './ownership-host';
import { type OwnershipOptions, type OwnershipTimes, ownershipTimes } from './ownership-options';
import { Renewals } from './renewals';
import { RollCall } from './roll-call';
import { type Holdings, shareOf } from './share-of';
import { Slot } from './slot';
import { RouterFault } from '../faults/router-fault';

/** After an outage, for this many roll calls, only own partitions are claimed: other members are returning too. */
const CAUTIOUS_LOOKS = 3;

/** Acquires and keeps leases on this member's fair share of the partitions. */
export class Ownership {
  private readonly times: OwnershipTimes;
  private readonly slots = new Map<number, Slot>();
  private readonly renewals: Renewals;
  private readonly rollCall: RollCall;
  private lastRollMs: number | undefined;
  private cautiousUntilMs = -Infinity;
  private stopping: Promise<void> | undefined;

  /** @param onError called with each failure; failed calls are retried. */
  constructor(
    private readonly store: LeaseStore,
    private readonly clock: Clock,
    options: OwnershipOptions,
    private readonly host: OwnershipHost,
    private readonly onError: (error: unknown) => void,
  ) {
    const times = ownershipTimes(options);
    this.times = times;
    const alive = () =>
      [...this.slots.values()].flatMap(({ tenure }) => (tenure?.isAlive === true ? [tenure] : []));
    this.renewals = new Renewals(store, clock, times, alive, onError);
    this.rollCall = new RollCall(store, clock, times, (roll) => this.share(roll), onError);
  }

  /** Begins to acquire partitions. @param partitions their number; they are numbered from 0. */
  start(partitions: number): void {
    const { store, clock, times, host, onError } = this;
    for (let each = 0; each < partitions; each += 1) {
      const slot = new Slot({ store, clock, times, host, onError }, (pauseMs) => {
        this.rollCall.lookWithin(pauseMs);
      });
      this.slots.set(each, slot);
    }
    this.renewals.start();
    this.rollCall.start(partitions);
  }

  /**
   * Hands all partitions over and removes this member from the roll. Takes as long as requests are in flight,
   * `handOverMs` at most, unless the host hangs or the store does not answer. Never rejects.
   */
  stop(): Promise<void> {
    this.stopping ??= this.leaveAll();
    return this.stopping;
  }

  /** Whether this member's lease on the partition is valid now. Check it before each request. */
  holds(partition: number): boolean {
    return this.slots.get(partition)?.tenure?.holds ?? false;
  }

  /** The state of each partition, by its number. */
  states(): ReadonlyMap<number, LeaseState> {
    return new Map([...this.slots].map(([partition, { state }]) => [partition, state]));
  }

  /** Ends a lease that another member has taken over, as a commit has shown; calls `lost` of the host at once. */
  lose({ partition, epoch }: LeaseGrant): void {
    const tenure = this.slots.get(partition)?.tenure;
    if (tenure?.grant.epoch === epoch) tenure.lose();
  }

  private async leaveAll(): Promise<void> {
    const { clock, times, onError } = this;
    const noRoll = this.rollCall.stop();
    const slots = [...this.slots.values()];
    for (const slot of slots) slot.revoke();
    await Promise.all(slots.map((slot) => slot.ended()));
    this.renewals.stop();
    await noRoll;
    const insistence = { pauseMs: times.retryMs, limitMs: times.hangMs };
    await insist(
      clock,
      insistence,
      () => this.store.leave(),
      (error) => {
        const what =
          'this router cannot leave the list of routers in PostgreSQL; its entry expires';
        onError(new RouterFault(what, {}, error));
      },
    );
  }

  /** Claims and revokes partitions by the roll. @returns milliseconds until the next roll call. */
  private share(roll: Roll): number {
    const { beatMs, lookMs } = this.times;
    const share = shareOf(this.holdings(), roll);
    for (const each of share.giveUp) this.slots.get(each)?.revoke();
    if (share.isFull) for (const slot of this.slots.values()) slot.forgo();
    if (share.claim.length > 0) this.claim(share.claim);
    return share.isHungry ? lookMs : beatMs;
  }

  private holdings(): Holdings {
    const slots = [...this.slots];
    const held = slots.filter(([, { isHeld }]) => isHeld);
    held.sort(([, one], [, other]) => one.precedence - other.precedence);
    return {
      me: this.store.member,
      partitions: slots.length,
      held: held.map(([partition]) => partition),
      claimable: slots.filter(([, { isClaimable }]) => isClaimable).map(([each]) => each),
      isCautious: this.isCautious(),
    };
  }

  private isCautious(): boolean {
    const { leaseMs, lookMs } = this.times;
    const nowMs = this.clock.nowMs();
    const wasAway = nowMs - (this.lastRollMs ?? nowMs) > leaseMs;
    this.lastRollMs = nowMs;
    if (wasAway) this.cautiousUntilMs = nowMs + CAUTIOUS_LOOKS * lookMs;
    return nowMs < this.cautiousUntilMs;
  }

  private claim(partitions: readonly number[]): void {
    const requestedMs = this.clock.nowMs();
    const acquiring = this.acquire(partitions);
    for (const each of partitions) {
      const grant = acquiring.then((grants) => grants.find(({ partition }) => partition === each));
      this.slots.get(each)?.claim(grant, requestedMs);
    }
  }

  private async acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]> {
    const { store, clock, times, onError } = this;
    const acquired = store.acquire(partitions);
    try {
      return await within(clock, times.leaseMs, acquired);
    } catch (error) {
      onError(
        new RouterFault(
          'leases of partitions cannot be acquired in PostgreSQL; trying again',
          { partitions },
          error,
        ),
      );
      if (error instanceof Unanswered) acquired.then((late) => this.giveBack(late)).catch(onError);
      throw error;
    }
  }

  /** Releases leases that were granted after the time limit. A late grant has ended any lease obtained before it. */
  private async giveBack(late: readonly LeaseGrant[]): Promise<void> {
    for (const grant of late) this.slots.get(grant.partition)?.supersede(grant);
    if (late.length > 0) await this.store.release(late);
  }
}
