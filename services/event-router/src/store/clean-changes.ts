import type { PartitionChanges, Redriven, ReplayStep } from './changes';
import { cleanText } from './clean-text';

/** The row with cleaned texts; the same object when they are clean already. */
const cleanRow = <Row extends object>(row: Row): Row => {
  let clean = row;
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== 'string') continue;
    const text = cleanText(value);
    if (text !== value) clean = { ...clean, [name]: text };
  }
  return clean;
};

const cleanRows = <Row extends object>(rows: readonly Row[]): readonly Row[] =>
  rows.length === 0 ? rows : rows.map(cleanRow);

const cleanKeys = <Value>(map: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
  new Map([...map].map(([key, value]) => [cleanText(key), value]));

const cleanRedriven = (each: Redriven): Redriven => {
  if (each.endings === null) return each;
  const { before, now } = each.endings;
  return { ...each, endings: { before, now: cleanRow(now) } };
};

const cleanStep = (step: ReplayStep): ReplayStep => ({
  ...step,
  opened: cleanRows(step.opened),
  failures: cleanRows(step.failures).map((each) => ({ ...each, ending: cleanRow(each.ending) })),
});

/** The changes with every text of external origin cleaned; texts that are packed are cleaned by the packing. */
export const cleanChanges = (changes: PartitionChanges): PartitionChanges => ({
  ...changes,
  cursors: cleanRows(changes.cursors),
  droppedCursors: cleanRows(changes.droppedCursors),
  counts: cleanKeys(changes.counts),
  sources: cleanKeys(changes.sources),
  stored: cleanRows(changes.stored),
  postponed: cleanRows(changes.postponed),
  settled: changes.settled.map((each) => ({ ...each, ending: cleanRow(each.ending) })),
  redriven: changes.redriven.map(cleanRedriven),
  redriveTried: cleanRows(changes.redriveTried),
  replayed: changes.replayed.map(cleanStep),
  unreadable: cleanRows(changes.unreadable),
});
