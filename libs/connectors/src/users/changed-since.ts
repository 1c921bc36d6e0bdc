import { compareDateTimes } from '@penstock/schema';

/**
 * The whole second before a time, for applications that list what was changed after a time and need not know of
 * fractions. What is older than the time itself is to be left out by {@link isSince}.
 *
 * @param since a canonical datetime.
 */
export const secondBefore = (since: string): string => {
  const ms = Math.floor(Date.parse(since) / 1_000) * 1_000 - 1_000;
  return new Date(ms).toISOString().replace('.000Z', 'Z');
};

/** Whether a change belongs to those since a time; one without a time always does. */
export const isSince = (updatedAt: string | null, since: string | null): boolean =>
  since === null || updatedAt === null || compareDateTimes(updatedAt, since) >= 0;
