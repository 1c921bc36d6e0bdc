import { type LeaseGrant, LeaseLost } from '../store/router-store';
import { aborted, unlessAborted } from '../time/aborted';
import type { Clock } from '../time/clock';
import { within } from '../time/within';
import { insist } from './insist';
import type { LeaseStore } from './lease-store';
import type { OwnershipHost } from './ownership-host';
import type { OwnershipTimes } from './ownership-options';
import { RouterFault } from '../faults/router-fault';

/** `lost`: the lease was lost before it was released; `failed`: the partition could not be acquired. */
export type TenureEnd = 'released' | 'lost' | 'failed';

export interface TenureDependencies {
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly times: OwnershipTimes;
  readonly host: OwnershipHost;
  readonly onError: (error: unknown) => void;
}

/** The reason of the abort when the partition goes to another member, or this one stops. */
class Revoked extends Error {
  override readonly name = 'Revoked';
}

/** The host did not settle after its signal had aborted: it may still be working. */
class Hung extends Error {
  override readonly name = 'Hung';
}

/**
 * One lease on a partition, from its grant to its end. {@link run} always settles, and the lease is not renewed
 * afterwards.
 */
export class Tenure {
  private current: 'restoring' | 'owned' | 'leaving' = 'restoring';
  private readonly revoked = new AbortController();
  private readonly gone = new AbortController();
  private readonly acquiring = new AbortController();
  private readonly leaving = new AbortController();
  private isAcquired = false;
  private isOver = false;
  private cancelExpiry: () => void = () => undefined;

  /**
   * @param untilMs end of the lease by the monotonic clock, counted from when it was requested.
   * @param takeMs time limit for restoring and acquiring the partition.
   */
  constructor(
    readonly grant: LeaseGrant,
    private untilMs: number,
    private readonly takeMs: number,
    private readonly deps: TenureDependencies,
  ) {
    this.watchExpiry();
  }

  get state(): 'restoring' | 'owned' | 'leaving' {
    return this.current;
  }

  /** Whether the lease should be renewed. */
  get isAlive(): boolean {
    return !this.isOver && !this.gone.signal.aborted;
  }

  /** Whether the lease is valid now: no other member can have the partition. Once false, it stays false. */
  get holds(): boolean {
    return this.isAlive && this.deps.clock.nowMs() < this.untilMs;
  }

  /**
   * Extends the lease after a renewal. A lease that had lapsed before the answer came is lost all the same: `holds`
   * must not become true again.
   *
   * @param untilMs new end, counted from when the renewal was requested.
   */
  extend(untilMs: number): void {
    if (!this.isAlive) return;
    if (!this.holds) {
      this.lose();
      return;
    }
    this.untilMs = Math.max(this.untilMs, untilMs);
    this.watchExpiry();
  }

  /** Ends the lease with a hand-over, or aborts its restoring. */
  revoke(): void {
    this.revoked.abort();
    this.acquiring.abort(new Revoked());
  }

  /** Marks the lease as lost; the host has stopped when this returns. */
  lose(): void {
    if (!this.isAlive) return;
    const reason = new LeaseLost(this.grant.partition);
    this.gone.abort(reason);
    this.notifyLost();
    this.acquiring.abort(reason);
    this.leaving.abort(reason);
  }

  /** Restores, owns and leaves the partition. Resolves when the tenure has ended. Never rejects. */
  async run(): Promise<TenureEnd> {
    const failure = await this.live();
    const isLost = !this.isAlive;
    this.isOver = true;
    this.cancelExpiry();
    if (isLost) return 'lost';
    if (failure !== null) this.notifyLost();
    if (failure !== null && !(failure.cause instanceof Revoked))
      this.report('a partition cannot be held; it is acquired again', failure.cause);
    if (!(failure?.cause instanceof Hung)) await this.release();
    return failure === null || this.revoked.signal.aborted ? 'released' : 'failed';
  }

  private async live(): Promise<{ readonly cause: unknown } | null> {
    try {
      await this.restore();
      await unlessAborted(this.gone.signal, aborted(this.revoked.signal));
      await this.leave();
      return null;
    } catch (cause) {
      return { cause };
    }
  }

  private async restore(): Promise<void> {
    const { store, clock, host } = this.deps;
    const { signal } = this.acquiring;
    const cancel = clock.after(this.takeMs, () => {
      const partition = String(this.grant.partition);
      this.acquiring.abort(new Error(`partition ${partition} was not restored in time`));
    });
    try {
      signal.throwIfAborted();
      const progress = await unlessAborted(signal, store.restore(this.grant));
      signal.throwIfAborted();
      if (!this.holds) throw new LeaseLost(this.grant.partition);
      this.isAcquired = true;
      await this.ended(host.take(this.grant, progress, signal), signal);
      signal.throwIfAborted();
      this.current = 'owned';
    } finally {
      cancel();
    }
  }

  private async leave(): Promise<void> {
    const { clock, times, host } = this.deps;
    const { signal } = this.leaving;
    signal.throwIfAborted();
    this.current = 'leaving';
    const cancel = clock.after(times.handOverMs, () => {
      this.leaving.abort();
    });
    try {
      await this.ended(host.leave(this.grant.partition, signal), signal);
    } finally {
      cancel();
    }
  }

  /** Waits for the work, but not longer than `hangMs` after the signal has aborted. @throws Hung */
  private async ended(work: Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, times } = this.deps;
    await Promise.race([work, aborted(signal)]);
    const settled = work.catch(() => undefined);
    await within(clock, times.hangMs, settled).catch(() => {
      throw new Hung(`partition ${String(this.grant.partition)} does not come to an end`);
    });
    await work;
  }

  private async release(): Promise<void> {
    const { store, clock, times } = this.deps;
    const insistence = { pauseMs: times.retryMs, limitMs: times.hangMs };
    await insist(
      clock,
      insistence,
      () => store.release([this.grant]),
      (error) => {
        this.report(
          'the lease of a partition cannot be released in PostgreSQL; trying again',
          error,
        );
      },
    );
  }

  private notifyLost(): void {
    this.cancelExpiry();
    if (!this.isAcquired) return;
    this.isAcquired = false;
    try {
      this.deps.host.lost(this.grant.partition);
    } catch (error) {
      this.report(
        'leaving a lost partition has failed, which is an error of Penstock itself',
        error,
      );
    }
  }

  private report(what: string, cause: unknown): void {
    this.deps.onError(new RouterFault(what, { partition: this.grant.partition }, cause));
  }

  private watchExpiry(): void {
    const { clock, times } = this.deps;
    this.cancelExpiry();
    this.cancelExpiry = clock.after(this.untilMs - times.marginMs - clock.nowMs(), () => {
      this.lose();
    });
  }
}
