import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { BaseKind, DeliveryTimes } from '../changes';
import type { SourceCount, TimesRow } from '../counted-rows';

const added = <Key>(
  counts: ReadonlyMap<Key, number>,
  more: ReadonlyMap<Key, number>,
): Map<Key, number> => {
  const sums = new Map(counts);
  for (const [key, count] of more) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
};

/** Adds counts to those of the same keys. */
export const addCounts = (counts: Map<string, number>, more: ReadonlyMap<string, number>): void => {
  for (const [key, count] of more) counts.set(key, (counts.get(key) ?? 0) + count);
};

/** Adds times to those of the same keys; times without a retry or latency add no key. */
export const addTimes = (
  times: Map<string, DeliveryTimes>,
  more: ReadonlyMap<string, DeliveryTimes>,
): void => {
  for (const [key, { retries, latencies }] of more) {
    if (retries === 0 && latencies.size === 0) continue;
    const before = times.get(key) ?? { retries: 0, latencies: new Map<number, number>() };
    times.set(key, {
      retries: before.retries + retries,
      latencies: added(before.latencies, latencies),
    });
  }
};

const byKey = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** By {@link sourceKey}, as rows in order. */
export const sourceCounts = (sources: ReadonlyMap<string, number>): SourceCount[] =>
  [...sources].sort(byKey).map(([key, count]) => {
    const [source, kind, minute] = key.split('|') as [ConnectionId, BaseKind, string];
    return { source, kind, minute: Number(minute), count };
  });

/** By {@link timesKey}, as rows in order. */
export const timesRows = (times: ReadonlyMap<string, DeliveryTimes>): TimesRow[] =>
  [...times].sort(byKey).map(([key, { retries, latencies }]) => {
    const [pipeline, minute] = key.split('|') as [PipelineId, string];
    const ascending = [...latencies].sort(([one], [other]) => one - other);
    return { pipeline, minute: Number(minute), retries, latencies: ascending };
  });
