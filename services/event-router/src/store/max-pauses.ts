/**
 * Most pauses that are kept of a lane. A destination that denies every other request has a new one every few seconds,
 * and every router reads all of them every second. When a lane has this many, another one that begins soon after the last
 * one goes on with it, and the oldest two are joined if it begins later. The time between two that are joined counts as
 * paused: the retry budgets of deliveries stand still for longer than need be, but never run during a pause.
 */
export const MAX_PAUSES = 100;

/** Milliseconds after the end of a pause within which another one goes on with it, if there are {@link MAX_PAUSES}. */
export const NEAR_MS = 60_000;
