import type { Logger } from 'pino';
import { withoutRequestId } from './request-id';

/** A fault that lasts is logged once in this time. A fault that has not come again for this time is over. */
const QUIET_MS = 60_000;

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
 * between (`alike`) and for how long it has lasted (`lastedSeconds`). When a fault that has come more than once has not
 * come again for a minute, one line of level info says that it is over and how long it lasted.
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
    this.lookIn(key, outage, QUIET_MS);
  }

  private lookIn(key: string, outage: Outage, ms: number): void {
    setTimeout(() => {
      if (this.outages.get(key) !== outage) return;
      const leftMs = outage.lastMs + QUIET_MS - performance.now();
      if (leftMs > 0) this.lookIn(key, outage, leftMs);
      else this.end(key, outage);
    }, ms).unref();
  }

  private end(key: string, { fault, isRepeated, sinceMs, lastMs }: Outage): void {
    this.outages.delete(key);
    if (!isRepeated) return;
    const lastedSeconds = secondsBetween(sinceMs, lastMs);
    // Not the matter of the request that met it first.
    withoutRequestId(() => {
      this.logger.info({ ...fault.where, lastedSeconds }, `over: ${fault.what}`);
    });
  }
}
