import type { StoredDelivery } from '../changes';
import type { WaitingKey } from '../router-store';

/** The keys with waiting deliveries, ordered by lane and key. @param deliveries of one partition, in order. */
export const waitingKeys = (deliveries: readonly StoredDelivery[]): WaitingKey[] => {
  const keys = new Map<string, WaitingKey>();
  for (const { lane, orderKey, attempts, dueMs, state } of deliveries) {
    if (state !== 'Waiting') continue;
    const key = `${lane}/${orderKey}`;
    const known = keys.get(key) ?? { lane, orderKey, rows: 0, attempts, dueMs };
    keys.set(key, { ...known, rows: known.rows + 1 });
  }
  return [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
};
