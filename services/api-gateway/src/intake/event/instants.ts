import { canonicalDateTime } from '@penstock/schema';
import { isText, type Leaf, textOf } from './leaf';

/** 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z, milliseconds since 1970. */
const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_300_799_999;

/** What nearly every client sends. */
const USUAL = /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z"$/;

/** @returns milliseconds since 1970, digits below cut off; NaN for what is not a datetime. */
export const instantOf = (leaf: Leaf): number => {
  if (USUAL.test(leaf)) {
    const usual = Date.parse(leaf.slice(1, -1));
    if (isInstant(usual) && instantLeaf(usual) === leaf) return usual;
  }
  const text = isText(leaf) ? canonicalDateTime(textOf(leaf)) : undefined;
  return text === undefined ? NaN : Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
};

/** Whether the moment is one of the years 1 to 9999. */
export const isInstant = (ms: number): boolean => ms >= FIRST_MS && ms <= LAST_MS;

/**
 * The canonical text, quoted: no fraction or three digits.
 *
 * @param ms see {@link isInstant}.
 */
export const instantLeaf = (ms: number): Leaf => {
  const text = new Date(ms).toISOString();
  return ms % 1000 === 0 ? `"${text.slice(0, 19)}Z"` : `"${text}"`;
};
