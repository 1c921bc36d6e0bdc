import { floatText } from '@penstock/schema';

/** An exact number: ±0.digits × 10^point. Zero has no digits, point 0 and no sign. */
export interface Decimal {
  readonly negative: boolean;
  /** Neither the first nor the last digit is 0. */
  readonly digits: string;
  readonly point: number;
}

const ZERO: Decimal = { negative: false, digits: '', point: 0 };
const JSON_NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Larger exponents cannot be computed exactly; no valid number comes near them. */
const MAX_EXPONENT = 1e15;

/** Index after the last digit that is not 0. A regular expression would retry at every 0. */
const endOfDigits = (digits: string): number => {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--;
  return end;
};

const startOfDigits = (digits: string): number => {
  let start = 0;
  while (digits.charCodeAt(start) === 0x30) start++;
  return start;
};

const normal = (negative: boolean, written: string, point: number): Decimal => {
  const end = endOfDigits(written);
  if (end === 0) return ZERO;
  const start = startOfDigits(written);
  return { negative, digits: written.slice(start, end), point: point - start };
};

/** Parses a text of JSON number syntax; undefined for any other text. */
export const parseDecimal = (text: string): Decimal | undefined => {
  const match = JSON_NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign, integer = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  const number = normal(sign === '-', integer + fraction, integer.length + exponent);
  return number.digits !== '' && Math.abs(exponent) > MAX_EXPONENT ? undefined : number;
};

const ofInteger = (integer: bigint): Decimal => {
  const text = String(integer < 0n ? -integer : integer);
  return normal(integer < 0n, text, text.length);
};

/** Converts a float: exactly for an integer, else by its shortest digits; undefined if not finite. */
export const decimalOfFloat = (value: number, bitSize: 32 | 64): Decimal | undefined => {
  if (!Number.isFinite(value)) return undefined;
  return Number.isInteger(value)
    ? ofInteger(BigInt(value))
    : parseDecimal(floatText(value, bitSize));
};

const increment = (digits: string): string => {
  let last = digits.length - 1;
  while (last >= 0 && digits[last] === '9') last--;
  if (last < 0) return `1${'0'.repeat(digits.length)}`;
  return `${digits.slice(0, last)}${Number(digits[last]) + 1}${'0'.repeat(digits.length - last - 1)}`;
};

/** Rounds to `scale` digits after the point, half away from zero. */
export const round = (number: Decimal, scale: number): Decimal => {
  const { negative, digits, point } = number;
  const kept = point + scale;
  if (digits.length <= kept) return number;
  if (kept < 0) return ZERO;
  const head = digits.slice(0, kept);
  if (digits.charCodeAt(kept) < 0x35) return normal(negative, head, point);
  const carried = increment(head);
  return normal(negative, carried, point + carried.length - head.length);
};

/** Whether a number fits without loss: at most `precision` digits, `scale` of them after the point. */
export const fits = ({ digits, point }: Decimal, precision: number, scale: number): boolean =>
  point <= precision - scale && digits.length - point <= scale;

/** Writes plain notation, the text of a decimal. Its length grows with `point`, which callers must bound. */
export const plainText = ({ negative, digits, point }: Decimal): string => {
  if (digits === '') return '0';
  const sign = negative ? '-' : '';
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
};

/** Returns equal texts for equal numbers of any size. */
export const decimalKey = ({ negative, digits, point }: Decimal): string =>
  `${negative ? '-' : ''}${digits}e${point}`;
