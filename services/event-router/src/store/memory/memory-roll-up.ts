import { MERGE_HOURS, MERGE_MINUTES } from '../roll-up-steps';
import { addCounts, addTimes } from './memory-counts';
import type { MemoryDatabase } from './memory-database';

/** The key with the begin of the hour or day into which its minute is merged now; the same key: it is not due. */
const mergedKey = (key: string, now: number): string => {
  const at = key.lastIndexOf('|') + 1;
  const minute = Number(key.slice(at));
  const step = [MERGE_HOURS, MERGE_MINUTES].find(({ before }) => minute < before(now));
  return key.slice(0, at) + String(step === undefined ? minute : minute - (minute % step.span));
};

/** Merges at most `rows` keys of the map. @returns their number. */
const merge = <Value>(
  map: Map<string, Value>,
  now: number,
  rows: number,
  add: (map: Map<string, Value>, more: ReadonlyMap<string, Value>) => void,
): number => {
  const due = [...map].filter(([key]) => mergedKey(key, now) !== key).slice(0, rows);
  for (const [key, value] of due) {
    map.delete(key);
    add(map, new Map([[mergedKey(key, now), value]]));
  }
  return due.length;
};

/** As the roll-up in PostgreSQL; counts of audiences stay theirs. @returns whether there may be more to merge. */
export const rollUpInMemory = (database: MemoryDatabase, rows: number): boolean => {
  const { counters, bases, sources, times } = database;
  const now = Math.floor(database.nowMs() / 60_000);
  const merged = [counters, bases, sources].map((map) => merge(map, now, rows, addCounts));
  merged.push(merge(times, now, rows, addTimes));
  return merged.includes(rows);
};
