import type { SnowflakeSession } from '@penstock/databases';
import { late } from '../../reading/late';
import type { Sessions, SessionsUse } from '../sessions/sessions';

/** Milliseconds. Source: the specification of the warehouse, "Writing": statement time-out of reads by the API. */
export const READ_MS = 30_000;

/**
 * The longest time for all of a scan to be sorted, in milliseconds. The server ends statements of readers after it, whoever
 * waits for them.
 */
export const SCAN_MS = 300_000;

/** Sessions for reads. */
export const READING: Omit<SessionsUse, 'max'> = {
  statementSeconds: SCAN_MS / 1_000,
  lockSeconds: 10,
};

/** Gives a piece of work up when it takes too long. The session is of no use then. @throws WarehouseFault `unreachable` */
export const withinLimits = async <T>(
  signal: AbortSignal,
  limitMs: number,
  work: () => Promise<T>,
): Promise<T> => {
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
  }, limitMs);
  const ended = AbortSignal.any([signal, timeout.signal]);
  try {
    if (ended.aborted) throw late();
    const givenUp = new Promise<never>((_, reject) => {
      ended.addEventListener(
        'abort',
        () => {
          reject(late());
        },
        { once: true },
      );
    });
    return await Promise.race([work(), givenUp]);
  } finally {
    clearTimeout(timer);
  }
};

/** Someone who waits, and what ends the wait. */
class Gate<T> {
  open!: (value: T) => void;
  fail!: (error: unknown) => void;
  readonly passed = new Promise<T>((resolve, reject) => {
    this.open = resolve;
    this.fail = reject;
  });
}

/**
 * What is read on one session part by part. The session is closed where it is not read to its end.
 *
 * @throws WarehouseFault
 */
export async function* streamOf<T>(
  sessions: Sessions,
  partsOn: (session: SnowflakeSession) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const [begun, ended] = [new Gate<SnowflakeSession>(), new Gate<undefined>()];
  const used = sessions.use(async (session) => {
    begun.open(session);
    await ended.passed;
  });
  used.catch(begun.fail);
  const session = await begun.passed;
  try {
    yield* partsOn(session);
    ended.open(undefined);
  } catch (error) {
    ended.fail(error);
  } finally {
    ended.fail(late());
    // Where nobody reads on there is nobody to be told.
    await used.catch(() => undefined);
  }
  await used;
}
