import type { Logger } from 'pino';
import { withoutRequestId } from './request-id';

/** A fault that lasts is logged once in this time. */
const QUIET_MS = 60_000;

/** A fault that has not come again for this time is forgotten: nobody knows whether it lasts. */
const FORGOTTEN_MS = 600_000;

/** Outages that are remembered: causes may contain ids. */
const MAX_OUTAGES = 100;

/** One fault, of work that is tried again or of a request that is refused. */
export interface Fault {
  /** The message of the line: what has happened and what follows, without ids, so that the same fault is recognised. */
  readonly what: string;
  /** The error, whose innermost cause tells faults with the same `what` apart. */
  readonly err: unknown;
  /** Where it happened, such as a partition; members of the line. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** Default: error. */
  readonly level?: 'error' | 'warn';
}

interface Outage {
  readonly fault: Pick<Fault, 'what' | 'where'>;
  readonly sinceMs: number;
  lastMs: number;
  loggedMs: number;
  /** Faults since the last one that was logged. */
  alike: number;
  /** Whether there was more than one: only then it has lasted. */
  isRepeated: boolean;
}

const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return causeOf(error.cause);
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : error.message;
};

const secondsBetween = (fromMs: number, toMs: number): number =>
  Math.round((toMs - fromMs) / 1_000);

/**
 * Limits what an outage logs: the first fault of each kind and cause, then one a minute, with the number of those
 * between (`alike`) and for how long it has lasted (`lastedSeconds`). When what has failed more than once succeeds, one
 * line of level info says that it is over and how long it lasted. That a fault does not come again says nothing: its work
 * may be waiting for the next attempt.
 */
export class Outages {
  private readonly outages = new Map<string, Outage>();

  constructor(private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>) {}

  /** Logs the fault, or counts it. */
  report({ what, err, where, level = 'error' }: Fault): void {
    const nowMs = performance.now();
    const key = `${what} ${causeOf(err)}`;
    const known = this.outages.get(key);
    if (known === undefined) {
      this.begin(key, { what, ...(where && { where }) }, nowMs);
      this.logger[level]({ err, ...where }, what);
      return;
    }
    known.lastMs = nowMs;
    known.isRepeated = true;
    if (nowMs < known.loggedMs + QUIET_MS) {
      known.alike += 1;
      return;
    }
    const { alike, sinceMs } = known;
    const lastedSeconds = secondsBetween(sinceMs, nowMs);
    this.logger[level]({ err, ...where, ...(alike > 0 && { alike }), lastedSeconds }, what);
    known.loggedMs = nowMs;
    known.alike = 0;
  }

  /** Ends all faults of this kind, whatever their causes: what has failed has succeeded. */
  succeeded(what: string): void {
    for (const [key, { fault, isRepeated, sinceMs, lastMs }] of this.outages) {
      if (fault.what !== what) continue;
      this.outages.delete(key);
      if (!isRepeated) continue;
      const lastedSeconds = secondsBetween(sinceMs, lastMs);
      // Not the matter of the request that met it first.
      withoutRequestId(() => {
        this.logger.info({ ...fault.where, lastedSeconds }, `over: ${what}`);
      });
    }
  }

  private begin(key: string, fault: Outage['fault'], nowMs: number): void {
    const outage = {
      fault,
      sinceMs: nowMs,
      lastMs: nowMs,
      loggedMs: nowMs,
      alike: 0,
      isRepeated: false,
    };
    this.outages.set(key, outage);
    // The first is the one that began first.
    const [oldest] = this.outages.keys();
    if (this.outages.size > MAX_OUTAGES && oldest !== undefined) this.outages.delete(oldest);
    this.forgetLater(key, outage, FORGOTTEN_MS);
  }

  private forgetLater(key: string, outage: Outage, ms: number): void {
    setTimeout(() => {
      if (this.outages.get(key) !== outage) return;
      const leftMs = outage.lastMs + FORGOTTEN_MS - performance.now();
      if (leftMs > 0) this.forgetLater(key, outage, leftMs);
      else this.outages.delete(key);
    }, ms).unref();
  }
}
