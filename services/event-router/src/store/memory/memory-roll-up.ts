import { type BaseKind, countKey } from '../changes';
import { MERGE_HOURS, MERGE_MINUTES } from '../roll-up-steps';
import { addCounts, addTimes } from './memory-counts';
import type { MemoryDatabase } from './memory-database';
import { endingsOfBase } from './pipeline-counts';

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

/** Counts what was counted for at most `rows` audiences for each of their pipelines instead. @returns their number. */
const moveBases = ({ bases, audiences, plain }: MemoryDatabase, now: number, rows: number) => {
  const due = [...bases].filter(([key]) => mergedKey(key, now) !== key).slice(0, rows);
  for (const [key, count] of due) {
    const [id, kind, minute] = mergedKey(key, now).split('|') as [string, BaseKind, string];
    const audience = audiences.get(id);
    if (audience === undefined) continue;
    bases.delete(key);
    const atMs = Number(minute) * 60_000;
    for (const [pipeline, ending] of endingsOfBase(audience, kind))
      addCounts(plain, new Map([[countKey(pipeline, ending, atMs), count]]));
  }
  return due.length;
};

/** As the roll-up in PostgreSQL. @returns whether there may be more to merge. */
export const rollUpInMemory = (database: MemoryDatabase, rows: number): boolean => {
  const { counters, plain, sources, times } = database;
  const now = Math.floor(database.nowMs() / 60_000);
  const merged = [counters, plain, sources].map((map) => merge(map, now, rows, addCounts));
  merged.push(merge(times, now, rows, addTimes), moveBases(database, now, rows));
  return merged.includes(rows);
};
