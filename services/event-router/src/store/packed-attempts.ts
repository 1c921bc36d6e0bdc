import type { AttemptRecord } from './changes';
import { cleanText } from './clean-text';
import { PackedNames } from './packed-names';

/**
 * Attempts that were alike, as those of a request are: `[index of the name, index of the reason, status, milliseconds
 * after the first moment, attempt, deliveries]`. `deliveries` repeats (offset less the first, milliseconds until it is due
 * again, or -1: it has ended).
 */
type Alike = [number, number, number, number, number, number[]];

/** `[first offset, first moment, names, reasons, attempts]`. */
type Packed = [number, number, string[], string[], Alike[]];

const ENDED = -1;

const isAlike = (one: AttemptRecord, other: AttemptRecord): boolean =>
  one.atMs === other.atMs &&
  one.pipeline === other.pipeline &&
  one.version === other.version &&
  one.attempt === other.attempt &&
  one.status === other.status &&
  one.reason === other.reason;

/**
 * Packs the failed attempts of one partition and commit into one clean text. Neighbours that failed alike share an entry,
 * and equal reasons are written once.
 */
export const packAttempts = (attempts: readonly AttemptRecord[]): string => {
  const names = new PackedNames();
  const reasons = new Map<string, number>();
  const firstOffset = attempts[0]?.offset ?? 0;
  const firstMs = attempts[0]?.atMs ?? 0;
  const entries: Alike[] = [];
  let before: AttemptRecord | undefined;
  let deliveries: number[] = [];
  for (const attempt of attempts) {
    const { offset, atMs, dueMs, status, reason } = attempt;
    if (before === undefined || !isAlike(before, attempt)) {
      deliveries = [];
      const index = reasons.get(reason) ?? reasons.size;
      reasons.set(reason, index);
      const name = names.of(attempt);
      entries.push([name, index, status, atMs - firstMs, attempt.attempt, deliveries]);
    }
    deliveries.push(offset - firstOffset, dueMs === 0 ? ENDED : Math.max(0, dueMs - atMs));
    before = attempt;
  }
  const texts = [...reasons.keys()].map(cleanText);
  const packed: Packed = [firstOffset, firstMs, names.names, texts, entries];
  return JSON.stringify(packed);
};

/** The attempts that {@link packAttempts} has packed. @throws Error when the text is not one of its texts. */
export const unpackAttempts = (text: string): AttemptRecord[] => {
  const [firstOffset, firstMs, texts, reasons, entries] = JSON.parse(text) as Packed;
  const names = PackedNames.read(texts);
  return entries.flatMap(([nameIndex, reasonIndex, status, ms, attempt, deliveries]) => {
    const name = names[nameIndex];
    const reason = reasons[reasonIndex];
    if (name === undefined || reason === undefined)
      throw new Error('a row of attempts names no such pipeline or reason');
    const atMs = firstMs + ms;
    return Array.from({ length: deliveries.length / 2 }, (_, index) => {
      const [offset = 0, waitMs = ENDED] = deliveries.slice(2 * index, 2 * index + 2);
      const dueMs = waitMs === ENDED ? 0 : atMs + waitMs;
      return { ...name, offset: firstOffset + offset, attempt, atMs, status, reason, dueMs };
    });
  });
};
