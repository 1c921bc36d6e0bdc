import type { Attempt } from './receiver';
import type { Sent } from './steady-sender';

const nameOf = (key: unknown, number: unknown): string => `${String(key)}/${String(number)}`;

/** Names of the delivered events. */
const names = (attempts: readonly Attempt[]): ReadonlySet<string> =>
  new Set(attempts.map(({ body }) => nameOf(body['key'], body['number'])));

/** The delivered numbers of each key, each once, in the order of their first deliveries. */
export const firstDeliveries = (attempts: readonly Attempt[]): Map<string, number[]> => {
  const numbers = new Map<string, Set<number>>();
  for (const { body } of attempts) {
    const key = String(body['key']);
    const seen = numbers.get(key) ?? new Set<number>();
    numbers.set(key, seen.add(Number(body['number'])));
  }
  return new Map([...numbers].map(([key, seen]) => [key, [...seen]]));
};

/** Number of different events that were delivered. */
export const distinct = (attempts: readonly Attempt[]): number => names(attempts).size;

/** Whether each of the events was delivered at least once. */
export const areDelivered = (events: readonly Sent[], attempts: readonly Attempt[]): boolean => {
  if (attempts.length < events.length) return false;
  const delivered = names(attempts);
  return events.every(({ key, number }) => delivered.has(nameOf(key, number)));
};
