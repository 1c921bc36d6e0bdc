import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Long enough for a machine that has much else to do. */
const LIMIT_MS = 60_000;
const LOOK_MS = 10;

/**
 * Looks at a value until it is as it should be.
 *
 * @param look its present value.
 * @param isSo whether it is as it should be; by default, whether it is `true`.
 * @returns the value that was.
 * @throws Error that shows what was seen last, after a minute.
 */
export const eventually = async <T>(
  look: () => T | Promise<T>,
  isSo: (value: T) => boolean = (value) => value === true,
): Promise<T> => {
  const endMs = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (performance.now() > endMs)
      throw new Error(`it did not come about; what was seen last: ${inspect(seen, { depth: 5 })}`);
    await pause(LOOK_MS);
  }
};
