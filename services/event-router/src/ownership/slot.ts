import type { LeaseGrant } from '../store/router-store';
import type { LeaseState } from './lease-state';
import { Tenure, type TenureDependencies, type TenureEnd } from './tenure';

/** With the next roll call up to 500 ms after the pause, a partition is claimed again within a second. */
const LONGEST_PAUSE_MS = 500;

/** One partition in this member: at most one tenure at a time, and a pause after each that failed. */
export class Slot {
  private idle: 'wanted' | 'leasing' | 'released' = 'released';
  private isRevoked = false;
  private failures = 0;
  private notBeforeMs = -Infinity;
  private claimedMs = 0;
  private supersededEpoch = 0;
  private current: Tenure | undefined;
  private running: Promise<void> = Promise.resolve();

  /** @param onWanted called with the milliseconds after which the partition may be claimed again. */
  constructor(
    private readonly deps: TenureDependencies,
    private readonly onWanted: (pauseMs: number) => void,
  ) {}

  get state(): LeaseState {
    return this.current?.state ?? this.idle;
  }

  /** The lease, while there is one. */
  get tenure(): Tenure | undefined {
    return this.current;
  }

  /** Whether this member has or is acquiring the partition, and has not been instructed to leave it. */
  get isHeld(): boolean {
    return !this.isRevoked && this.state !== 'wanted' && this.state !== 'released';
  }

  /** Partitions with lower values are kept longer: owned ones, in the order of their claims. */
  get precedence(): number {
    return this.state === 'owned' ? this.claimedMs : Number.MAX_VALUE;
  }

  /** Whether no call is under way for the partition, and no pause. */
  get isClaimable(): boolean {
    const isIdle = this.state === 'wanted' || this.state === 'released';
    return isIdle && this.deps.clock.nowMs() >= this.notBeforeMs;
  }

  /** @param granting resolves to undefined when the lease was refused. @param requestedMs when the call was made. */
  claim(granting: Promise<LeaseGrant | undefined>, requestedMs: number): void {
    this.idle = 'leasing';
    this.isRevoked = false;
    this.claimedMs = requestedMs;
    this.running = this.hold(granting, requestedMs).then((end) => {
      this.current = undefined;
      this.rest(end);
    });
  }

  /** Hands the partition over; its state becomes `released`. */
  revoke(): void {
    this.isRevoked = true;
    this.current?.revoke();
    this.forgo();
  }

  /** Gives up claiming the partition, which belongs to another member. */
  forgo(): void {
    if (this.idle === 'wanted') this.idle = 'released';
  }

  /** Ends the lease if it is older than the given one; a grant that is older and whose answer comes later is refused. */
  supersede({ epoch }: LeaseGrant): void {
    this.supersededEpoch = Math.max(this.supersededEpoch, epoch);
    if (this.current !== undefined && this.current.grant.epoch < epoch) this.current.lose();
  }

  /** Resolves when no tenure is under way. */
  ended(): Promise<void> {
    return this.running;
  }

  private async hold(
    granting: Promise<LeaseGrant | undefined>,
    requestedMs: number,
  ): Promise<TenureEnd> {
    const grant = await granting.catch(() => null);
    if (grant === undefined) return 'released';
    if (grant === null || grant.epoch < this.supersededEpoch) return 'failed';
    const { leaseMs, takeMs } = this.deps.times;
    const tenure = new Tenure(
      grant,
      requestedMs + leaseMs,
      takeMs * (this.failures + 1),
      this.deps,
    );
    this.current = tenure;
    if (this.isRevoked) tenure.revoke();
    return tenure.run();
  }

  private rest(end: TenureEnd): void {
    const { pauseMs } = this.deps.times;
    this.idle = end === 'released' || this.isRevoked ? 'released' : 'wanted';
    if (end === 'released') this.failures = 0;
    const waitMs =
      end === 'released' ? 0 : Math.min(pauseMs * 2 ** this.failures, LONGEST_PAUSE_MS);
    if (end === 'failed') this.failures += 1;
    this.notBeforeMs = this.deps.clock.nowMs() + waitMs;
    if (this.idle === 'wanted') this.onWanted(waitMs);
  }
}
