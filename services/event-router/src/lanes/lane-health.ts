import type { SteadyWall } from '../progress/steady-wall';
import type { Pause } from '../store/router-store';
import type { Clock } from '../time/clock';
import { backoffMs, type BackoffLimits } from './backoff';

/**
 * - flowing: requests go out as its limits allow
 * - circuit: its destination fails; one probe at a time
 * - paused: its destination refuses our credentials; one probe from time to time
 */
export type LaneState = 'flowing' | 'circuit' | 'paused';

export interface HealthOptions extends BackoffLimits {
  readonly firstPauseProbeMs: number;
  readonly pauseProbeMs: number;
}

/** Retryable failures in a row, of so many order keys, that open the circuit. */
const CIRCUIT_FAILURES = 10;
const CIRCUIT_KEYS = 5;
/** How long a failure that did not open the circuit speaks against the destination as a whole. */
const SUSPECT_MS = 60_000;

/** Whether a lane's destination is well, and when a lane that is not may try it. */
export class LaneHealth {
  private current: LaneState = 'flowing';
  private failures = 0;
  private readonly failedKeys = new Set<string>();
  /** Monotonic milliseconds of the last of the failures. */
  private failedMs = 0;
  private probes = 0;
  private probeAtMs = 0;
  private isProbing = false;
  private holdUntilMs = 0;
  private successCount = 0;
  /** When a request last failed that opened the circuit or left it open, in milliseconds since 1970; 0: never. */
  private lastFailureMs = 0;
  private pauses: readonly Pause[] = [];

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
   * Whether requests of several order keys have failed of late and none has succeeded since: it may be its destination
   * as a whole, and the circuit may open.
   */
  get isSuspect(): boolean {
    return this.hasFailedWidely && this.clock.nowMs() - this.failedMs < SUSPECT_MS;
  }

  /** How many requests have succeeded. */
  get successes(): number {
    return this.successCount;
  }

  /** Milliseconds until a request may begin; 0: now. */
  get waitMs(): number {
    if (this.isProbing) return Infinity;
    const nowMs = this.clock.nowMs();
    const fromMs = this.isBlocked ? Math.max(this.probeAtMs, this.holdUntilMs) : this.holdUntilMs;
    return Math.max(0, fromMs - nowMs);
  }

  /** A request begins. @returns whether it is a probe: the lane is blocked. */
  begin(): boolean {
    if (this.isBlocked) this.isProbing = true;
    return this.isBlocked;
  }

  /** A request has come to nothing that says anything of the destination. */
  end(isProbe: boolean): void {
    if (isProbe) this.isProbing = false;
  }

  /** The destination has answered as it should. @returns whether the lane was blocked. */
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
   * A request has failed in a way that may pass. Requests that were under way when the lane was blocked say nothing new.
   *
   * @returns whether the circuit has opened by it.
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

  /** The destination has refused our credentials. @returns whether the lane is paused by it. */
  denied(isProbe: boolean): boolean {
    const isNew = this.current !== 'paused';
    if (isNew) this.probes = 0;
    this.current = 'paused';
    if (isNew || isProbe) this.postponeProbe();
    return isNew;
  }

  /** Another process has paused the lane. */
  pause(): void {
    this.denied(false);
  }

  /** The pause is over: the credentials have changed, or another process had success. */
  resume(): void {
    if (this.current !== 'paused') return;
    this.current = 'flowing';
    this.probes = 0;
    this.isProbing = false;
    this.forgetFailures();
  }

  /** No request begins for so long: the destination has asked for it. */
  hold(forMs: number): void {
    this.holdUntilMs = Math.max(this.holdUntilMs, this.clock.nowMs() + forMs);
  }

  /** What all processes know of the lane's pauses. */
  setPauses(pauses: readonly Pause[]): void {
    this.pauses = pauses;
  }

  /** How much of the time from a moment until now the lane was paused. Milliseconds since 1970. */
  pausedMsSince(fromMs: number): number {
    let sumMs = 0;
    for (const pause of this.pauses) {
      const toMs = pause.toMs ?? this.wall.nowMs();
      sumMs += Math.max(0, toMs - Math.max(pause.fromMs, fromMs));
    }
    return sumMs;
  }

  /**
   * Whether the destination as a whole was seen to fail at or after the moment. That its circuit is open says nothing of
   * what has come since the last probe: the next one may succeed. Milliseconds since 1970.
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
    if (this.current === 'circuit') return backoffMs(this.probes, this.options);
    const { firstPauseProbeMs, pauseProbeMs } = this.options;
    return this.probes === 1 ? firstPauseProbeMs : pauseProbeMs;
  }
}
