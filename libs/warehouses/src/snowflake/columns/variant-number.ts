import { canonicalDecimal } from '@penstock/schema';

/** Digits of a decimal, and those behind its point. Source: Snowflake, "Numeric data types". */
const MAX_DIGITS = 38;
const MAX_SCALE = 37;

const LIMITS = { precision: MAX_DIGITS + MAX_SCALE, scale: MAX_SCALE };

/** Digits of a double that is written without an exponent. */
const OF_DOUBLES = { precision: 1_400, scale: 1_080 };

const decimalText = (text: string): string | undefined => {
  const plain = canonicalDecimal(text, LIMITS);
  const digits = plain?.replace(/^-?0?/, '').replace('.', '') ?? '';
  return digits.length <= MAX_DIGITS ? plain : undefined;
};

const doubleText = (text: string): string | undefined => {
  const nearest = Number(text);
  if (!Number.isFinite(nearest)) return undefined;
  const isSame =
    canonicalDecimal(text, OF_DOUBLES) === canonicalDecimal(String(nearest), OF_DOUBLES);
  return isSame ? nearest.toExponential() : undefined;
};

/**
 * A number of JSON as a `VARIANT` keeps it: written with an exponent it becomes a double, else a decimal, which is compared to
 * the last digit. Equal numbers have one text.
 *
 * @param text by the grammar of JSON.
 * @returns undefined when it would be rounded. Source: Snowflake, "PARSE_JSON".
 */
export const variantNumber = (text: string): string | undefined =>
  decimalText(text) ?? doubleText(text);
