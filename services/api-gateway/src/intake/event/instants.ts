import { canonicalDateTime } from '@penstock/schema';
import { BoundedCache } from '../../cache/bounded-cache';
import { isText, type Leaf, textOf } from './leaf';

/** 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z in milliseconds since 1970. */
const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_300_799_999;

/** The format that nearly every client sends. */
const USUAL = /^"\d{4}-\d\d-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{3})?Z"$/;
/** Days that every month has. */
const SAFE_DAYS = 28;

/** Parses a datetime. @returns milliseconds since 1970, digits below cut off; NaN for anything else. */
export const instantOf = (leaf: Leaf): number => {
  const day = USUAL.exec(leaf)?.[1];
  if (day === undefined) return unusualInstantOf(leaf);
  const ms = Date.parse(leaf.slice(1, -1));
  // V8 parses 30 February as 1 March.
  if (Number(day) > SAFE_DAYS && new Date(ms).getUTCDate() !== Number(day))
    return unusualInstantOf(leaf);
  return isInstant(ms) ? ms : NaN;
};

const unusualInstantOf = (leaf: Leaf): number => {
  const text = isText(leaf) ? canonicalDateTime(textOf(leaf)) : undefined;
  return text === undefined ? NaN : Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
};

/** Whether the time is within the years 1 to 9999. */
export const isInstant = (ms: number): boolean => ms >= FIRST_MS && ms <= LAST_MS;

const SECOND_MS = 1_000;
/** Events arrive soon after they happened: most times that a process writes lie within the same few minutes. */
const REMEMBERED_SECONDS = 1_000;

/** Maps the start of a second in milliseconds since 1970 to its quoted text, without the end. */
const secondTexts = new BoundedCache<number, string>(REMEMBERED_SECONDS);

/**
 * Writes the canonical text, quoted: no fraction or three digits.
 *
 * @param ms see {@link isInstant}.
 */
export const instantLeaf = (ms: number): Leaf => {
  const second = Math.floor(ms / SECOND_MS) * SECOND_MS;
  const text = secondTexts.get(second) ?? secondText(second);
  const fraction = ms - second;
  return fraction === 0 ? `${text}Z"` : `${text}.${String(fraction).padStart(3, '0')}Z"`;
};

const secondText = (second: number): string => {
  const text = `"${new Date(second).toISOString().slice(0, 19)}`;
  secondTexts.set(second, text);
  return text;
};
