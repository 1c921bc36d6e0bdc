import type { SteadyWall } from '../progress/steady-wall';
import type { Pause } from '../store/router-store';
import type { Clock } from '../time/clock';
import { backoffMs, type BackoffLimits } from './backoff';

/**
 * - flowing: requests are sent as its limits allow
 * - circuit: its destination fails; one probe at a time
 * - paused: its destination answers 401 or 403; one probe from time to time
 */
export type LaneState = 'flowing' | 'circuit' | 'paused';

export interface HealthOptions extends BackoffLimits {
  readonly firstPauseProbeMs: number;
  readonly pauseProbeMs: number;
}

/** The circuit opens after this many retryable failures in a row, of at least this many order keys. */
const CIRCUIT_FAILURES = 10;
const CIRCUIT_KEYS = 5;
/** How long after a failure `isSuspect` holds. */
const SUSPECT_MS = 60_000;

/** Circuit and pause of a lane: whether its destination works, and when a blocked lane may send a probe. */
export class LaneHealth {
  private current: LaneState = 'flowing';
  private failures = 0;
  private readonly failedKeys = new Set<string>();
  /** Monotonic milliseconds of the last failure. */
  private failedMs = 0;
  private probes = 0;
  private probeAtMs = 0;
  private isProbing = false;
  private holdUntilMs = 0;
  private successCount = 0;
  /** Last failure that opened the circuit or came while it was open, in milliseconds since 1970; 0: never. */
  private lastFailureMs = 0;
  private pauses: readonly Pause[] = [];
  /** Most milliseconds between two probes of an open circuit, where that is less than for all back-off. */
  probeCapMs = Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly wall: SteadyWall,
    private readonly options: HealthOptions,
  ) {}

  get state(): LaneState {
    return this.current;
  }

  get isBlocked(): boolean {
    return this.current !== 'flowing';
  }

  /**
   * Whether requests of several order keys have failed within a minute and none has succeeded since: the destination
   * may be failing as a whole, and the circuit may open.
   */
  get isSuspect(): boolean {
    return this.hasFailedWidely && this.clock.nowMs() - this.failedMs < SUSPECT_MS;
  }

  /** Number of requests that have succeeded, and of pauses that were ended by a success of another process. */
  get successes(): number {
    return this.successCount;
  }

  /** Milliseconds until a request may begin; 0: now; Infinity: while a probe is under way. */
  get waitMs(): number {
    if (this.isProbing) return Infinity;
    const nowMs = this.clock.nowMs();
    const fromMs = this.isBlocked ? Math.max(this.probeAtMs, this.holdUntilMs) : this.holdUntilMs;
    return Math.max(0, fromMs - nowMs);
  }

  /** Call it when a request begins. @returns whether it is a probe: the lane is blocked. */
  begin(): boolean {
    if (this.isBlocked) this.isProbing = true;
    return this.isBlocked;
  }

  /** Call it when a request has ended without an answer that concerns the destination's health. */
  end(isProbe: boolean): void {
    if (isProbe) this.isProbing = false;
  }

  /** Call it when a request has succeeded. @returns whether the lane was blocked. */
  succeeded(): boolean {
    const wasBlocked = this.isBlocked;
    this.successCount += 1;
    this.current = 'flowing';
    this.isProbing = false;
    this.forgetFailures();
    this.probes = 0;
    return wasBlocked;
  }

  /**
   * Call it when a request has failed with a retryable error. Failures of requests that had begun before the lane was
   * blocked do not postpone the next probe.
   *
   * @returns whether this failure has opened the circuit.
   */
  failed(orderKeys: Iterable<string>, isProbe: boolean): boolean {
    this.failures += 1;
    this.failedMs = this.clock.nowMs();
    for (const key of orderKeys) if (this.failedKeys.size < CIRCUIT_KEYS) this.failedKeys.add(key);
    const isNew = !this.isBlocked && this.isFailing;
    if (isNew) this.current = 'circuit';
    if (this.current === 'circuit') this.lastFailureMs = this.wall.nowMs();
    if (isNew || (this.isBlocked && isProbe)) this.postponeProbe();
    return isNew;
  }

  /**
   * Call it when the destination as a whole cannot be used, whatever is sent: the circuit opens at once.
   *
   * @returns whether it has.
   */
  failedAsWhole(isProbe: boolean): boolean {
    const isNew = !this.isBlocked;
    this.current = 'circuit';
    this.failedMs = this.clock.nowMs();
    this.lastFailureMs = this.wall.nowMs();
    if (isNew || isProbe) this.postponeProbe();
    return isNew;
  }

  /** Lets the next probe of an open circuit begin at once. */
  probeNow(): void {
    if (this.current !== 'circuit') return;
    this.probes = 0;
    this.probeAtMs = this.clock.nowMs();
  }

  /** Call it when the destination has answered 401 or 403. @returns whether this answer has paused the lane. */
  denied(isProbe: boolean): boolean {
    const isNew = this.current !== 'paused';
    if (isNew) this.probes = 0;
    this.current = 'paused';
    if (isNew || isProbe) this.postponeProbe();
    return isNew;
  }

  /** Pauses the lane because another process has. */
  pause(): void {
    this.denied(false);
  }

  /**
   * Ends the pause: the connection was updated, or another process has succeeded.
   *
   * @param hasSucceeded the latter, which counts as a request that has succeeded.
   */
  resume(hasSucceeded: boolean): void {
    if (this.current !== 'paused') return;
    if (hasSucceeded) this.successCount += 1;
    this.current = 'flowing';
    this.probes = 0;
    this.isProbing = false;
    this.forgetFailures();
  }

  /** Delays all requests by `forMs` milliseconds, as the destination has demanded (`Retry-After`). */
  hold(forMs: number): void {
    this.holdUntilMs = Math.max(this.holdUntilMs, this.clock.nowMs() + forMs);
  }

  /** Sets the lane's pauses as the store has them for all processes. */
  setPauses(pauses: readonly Pause[]): void {
    this.pauses = pauses;
  }

  /** Milliseconds since `fromMs` during which the lane was paused. @param fromMs milliseconds since 1970. */
  pausedMsSince(fromMs: number): number {
    let sumMs = 0;
    for (const pause of this.pauses) {
      const toMs = pause.toMs ?? this.wall.nowMs();
      sumMs += Math.max(0, toMs - Math.max(pause.fromMs, fromMs));
    }
    return sumMs;
  }

  /**
   * Whether a failure opened the circuit, or kept it open, at or after `fromMs` (milliseconds since 1970). An open
   * circuit alone does not count: a delivery that came after the last probe was not tried, and the next may succeed.
   */
  hasFailedSince(fromMs: number): boolean {
    return this.lastFailureMs >= fromMs;
  }

  private get isFailing(): boolean {
    return this.failures >= CIRCUIT_FAILURES && this.hasFailedWidely;
  }

  private get hasFailedWidely(): boolean {
    return this.failedKeys.size >= CIRCUIT_KEYS;
  }

  private forgetFailures(): void {
    this.failures = 0;
    this.failedKeys.clear();
  }

  private postponeProbe(): void {
    this.isProbing = false;
    this.probes += 1;
    this.probeAtMs = this.clock.nowMs() + this.probePauseMs();
  }

  private probePauseMs(): number {
    if (this.current === 'circuit')
      return Math.min(this.probeCapMs, backoffMs(this.probes, this.options));
    const { firstPauseProbeMs, pauseProbeMs } = this.options;
    return this.probes === 1 ? firstPauseProbeMs : pauseProbeMs;
  }
}
