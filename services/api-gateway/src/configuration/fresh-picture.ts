import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../http/http-refusal';
import type { CatchUp } from './catch-up';

/** How far behind the log a picture may be that requests are let in on. */
const MAX_AGE_MS = 1_000;
/** For clocks that run at another speed, and timers that fire early. */
const MARGIN_MS = 100;

/**
 * Keeps a gateway from acting on an old picture, so that what was taken away is taken away everywhere.
 *
 * A gateway lets nobody in unless its picture was known to hold the whole log at some moment of the last second; who
 * takes something away answers a little more than a second later. No two gateways need know of each other. While
 * requests come, the picture is confirmed ahead of time, once in half a second: a request then costs a comparison.
 */
export class FreshPicture {
  private wholeAtMs = Number.NEGATIVE_INFINITY;
  private confirming: Promise<void> | undefined;

  constructor(private readonly catchUp: CatchUp) {}

  /** @throws HttpRefusal ServiceUnavailable when the picture cannot be confirmed in time. */
  async require(): Promise<void> {
    if (this.ageMs > MAX_AGE_MS) {
      await this.confirm();
      if (this.ageMs > MAX_AGE_MS) throw unavailable('the configuration cannot be read');
    } else if (this.ageMs > MAX_AGE_MS / 2) void this.confirm().catch(() => undefined);
  }

  /** Resolves when the picture holds everything that was on the log at this call. @throws HttpRefusal ServiceUnavailable */
  async toPresentEnd(): Promise<void> {
    const beganAtMs = performance.now();
    if (!(await this.catchUp.toPresentEnd())) throw unavailable('the configuration cannot be read');
    this.wholeAtMs = Math.max(this.wholeAtMs, beganAtMs);
  }

  /** Resolves when no gateway acts any more on a picture from before this call. */
  async seenEverywhere(): Promise<void> {
    await sleep(MAX_AGE_MS + MARGIN_MS);
  }

  private get ageMs(): number {
    return performance.now() - this.wholeAtMs;
  }

  private confirm(): Promise<void> {
    this.confirming ??= this.toPresentEnd().finally(() => (this.confirming = undefined));
    return this.confirming;
  }
}
