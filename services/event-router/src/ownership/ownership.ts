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

/** After an outage, for so many looks at the roll nothing is claimed that was another's: they are coming back too. */
const CAUTIOUS_LOOKS = 3;

/** Which partitions this member works on: those that it has a lease on, and a fair share of all. */
export class Ownership {
  private readonly times: OwnershipTimes;
  private readonly slots = new Map<number, Slot>();
  private readonly renewals: Renewals;
  private readonly rollCall: RollCall;
  private lastRollMs: number | undefined;
  private cautiousUntilMs = -Infinity;
  private stopping: Promise<void> | undefined;

  /** @param onError is told what failed; all of it is tried again. */
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

  /** Begins to take partitions. @param partitions how many there are, numbered from 0. */
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
   * Leaves all partitions in good order and says goodbye. Takes as long as requests are in flight, `handOverMs` at
   * most, unless the host hangs or the store does not answer. Never rejects.
   */
  stop(): Promise<void> {
    this.stopping ??= this.leaveAll();
    return this.stopping;
  }

  /** Whether no other member can have the partition at this moment: to be asked before each request. */
  holds(partition: number): boolean {
    return this.slots.get(partition)?.tenure?.holds ?? false;
  }

  /** Where each partition stands, by its number. */
  states(): ReadonlyMap<number, LeaseState> {
    return new Map([...this.slots].map(([partition, { state }]) => [partition, state]));
  }

  /** The host has learned that another member has the partition: a commit said so. It is told `lost` at once. */
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
    await insist(clock, insistence, () => this.store.leave(), onError);
  }

  /** @returns milliseconds to the next look at the roll. */
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
    const askedMs = this.clock.nowMs();
    const asking = this.acquire(partitions);
    for (const each of partitions) {
      const grant = asking.then((grants) => grants.find(({ partition }) => partition === each));
      this.slots.get(each)?.claim(grant, askedMs);
    }
  }

  private async acquire(partitions: readonly number[]): Promise<readonly LeaseGrant[]> {
    const { store, clock, times, onError } = this;
    const asked = store.acquire(partitions);
    try {
      return await within(clock, times.leaseMs, asked);
    } catch (error) {
      onError(error);
      if (error instanceof Unanswered) asked.then((late) => this.giveBack(late)).catch(onError);
      throw error;
    }
  }

  /** Nobody waits for these leases any more. Where one was obtained since, the late one has ended it. */
  private async giveBack(late: readonly LeaseGrant[]): Promise<void> {
    for (const { partition, epoch } of late) {
      const tenure = this.slots.get(partition)?.tenure;
      if (tenure !== undefined && tenure.grant.epoch < epoch) tenure.lose();
    }
    if (late.length > 0) await this.store.release(late);
  }
}
