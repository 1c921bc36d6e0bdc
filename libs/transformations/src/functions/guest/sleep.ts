const NEVER = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread; without a duration until it is terminated. */
export const sleep = (ms?: number): void => void Atomics.wait(NEVER, 0, 0, ms);
