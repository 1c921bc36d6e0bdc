import type { FanOutEvent } from './fan-out-event';

/** An answer of a destination. */
interface Answer {
  /** 0: it never answers. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body; default none. */
  readonly text?: string;
  /** Between the end of the request and the answer; default: 0. */
  readonly latencyMs?: number;
}

/** The answer of a destination to a request with these events. */
export type Behaviour = (events: readonly FanOutEvent[]) => Answer;

/** Answers 200. @param latencyMs time for a request. */
export const healthy =
  (latencyMs = 0): Behaviour =>
  () => ({ status: 200, latencyMs });

/** Answers every request with this status. */
export const answering =
  (status: number): Behaviour =>
  () => ({ status });

/** Answers 429 with Retry-After. */
export const limiting =
  (retryAfterS: number): Behaviour =>
  () => ({ status: 429, headers: { 'Retry-After': String(retryAfterS) } });

/** Never answers. */
export const hanging: Behaviour = () => ({ status: 0 });

/** Answers 400 to requests with these events, and 200 to others. */
export const refusing =
  (isRefused: (event: FanOutEvent) => boolean): Behaviour =>
  (events) => ({ status: events.some(isRefused) ? 400 : 200 });
