import type { LeaseGrant } from '../store/router-store';
import type { LeaseState } from './lease-state';
import { Tenure, type TenureDependencies, type TenureEnd } from './tenure';

/** Half of what was promised, since the next look may be as far off. */
const LONGEST_PAUSE_MS = 500;

/** One partition, as this member deals with it: at most one tenure at a time, with a pause after each that failed. */
export class Slot {
  private idle: 'wanted' | 'leasing' | 'released' = 'released';
  private isRevoked = false;
  private failures = 0;
  private notBeforeMs = -Infinity;
  private claimedMs = 0;
  private current: Tenure | undefined;
  private running: Promise<void> = Promise.resolve();

  /** @param onWanted is told after which time the partition may be claimed again. */
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

  /** It is this member's, or about to be, and is not on its way out. */
  get isHeld(): boolean {
    return !this.isRevoked && this.state !== 'wanted' && this.state !== 'released';
  }

  /** What has less of it is kept longer: what was claimed first, and is owned. */
  get precedence(): number {
    return this.state === 'owned' ? this.claimedMs : Number.MAX_VALUE;
  }

  /** Nothing is under way, and no pause either. */
  get isClaimable(): boolean {
    const isIdle = this.state === 'wanted' || this.state === 'released';
    return isIdle && this.deps.clock.nowMs() >= this.notBeforeMs;
  }

  /** @param asking resolves to undefined when the lease was refused. @param askedMs when it was begun. */
  claim(asking: Promise<LeaseGrant | undefined>, askedMs: number): void {
    this.idle = 'leasing';
    this.isRevoked = false;
    this.claimedMs = askedMs;
    this.running = this.hold(asking, askedMs).then((end) => {
      this.current = undefined;
      this.rest(end);
    });
  }

  /** Ends what is under way in good order; in `released`. */
  revoke(): void {
    this.isRevoked = true;
    this.current?.revoke();
    this.forgo();
  }

  /** It belongs to others: there is no need to try again. */
  forgo(): void {
    if (this.idle === 'wanted') this.idle = 'released';
  }

  /** Resolves when nothing is under way. */
  ended(): Promise<void> {
    return this.running;
  }

  private async hold(asking: Promise<LeaseGrant | undefined>, askedMs: number): Promise<TenureEnd> {
    const grant = await asking.catch(() => null);
    if (grant === undefined) return 'released';
    if (grant === null) return 'failed';
    const { leaseMs, takeMs } = this.deps.times;
    const tenure = new Tenure(grant, askedMs + leaseMs, takeMs * (this.failures + 1), this.deps);
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
