import type { FanOutEvent } from './fan-out-event';

/** How a destination answers a request. */
interface Answer {
  /** 0: it is never answered. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body; default none. */
  readonly text?: string;
  /** Between the whole request and its answer; default 0. */
  readonly latencyMs?: number;
}

/** What a destination answers to a request with these events. */
export type Behaviour = (events: readonly FanOutEvent[]) => Answer;

/** Takes everything. @param latencyMs how long it takes for a request. */
export const healthy =
  (latencyMs = 0): Behaviour =>
  () => ({ status: 200, latencyMs });

/** Answers every request with this status. */
export const answering =
  (status: number): Behaviour =>
  () => ({ status });

/** Says that it is too much, and when to come back. */
export const limiting =
  (retryAfterS: number): Behaviour =>
  () => ({ status: 429, headers: { 'Retry-After': String(retryAfterS) } });

/** Never answers. */
export const hanging: Behaviour = () => ({ status: 0 });

/** Takes everything but these events, for good. */
export const refusing =
  (isRefused: (event: FanOutEvent) => boolean): Behaviour =>
  (events) => ({ status: events.some(isRefused) ? 400 : 200 });
