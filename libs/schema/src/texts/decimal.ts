/** What a decimal may hold: digits in all, and digits after the point. */
export interface DecimalLimits {
  readonly precision: number;
  readonly scale: number;
}

/** The largest of all decimals: 76 digits before the point, 37 after it. */
const WIDEST: DecimalLimits = { precision: 113, scale: 37 };

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A JSON number in plain notation: no exponent, no zeros at the end of the fraction, no `-0`.
 *
 * @returns undefined when the text is not a JSON number, or its value does not fit the limits exactly.
 */
export const canonicalDecimal = (text: string, limits = WIDEST): string | undefined => {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = withoutTrailingZeros(whole + fraction);
  const significant = withoutLeadingZeros(digits);
  if (significant === '') return '0';
  const digitsBefore = whole.length + Number(exponent) - (digits.length - significant.length);
  if (digitsBefore > limits.precision - limits.scale) return undefined;
  if (significant.length - digitsBefore > limits.scale) return undefined;
  return sign + plain(significant, digitsBefore);
};

/** Orders canonical decimals by value: negative, zero or positive, as `Array.prototype.sort` wants it. */
export const compareDecimals = (a: string, b: string): number => {
  if (a === b) return 0;
  const negative = a.startsWith('-');
  if (negative !== b.startsWith('-')) return negative ? -1 : 1;
  return negative ? compareMagnitudes(b.slice(1), a.slice(1)) : compareMagnitudes(a, b);
};

const compareMagnitudes = (a: string, b: string): number => {
  const longer = wholeLength(a) - wholeLength(b);
  if (longer !== 0) return longer;
  return a < b ? -1 : 1;
};

const wholeLength = (text: string): number => {
  const point = text.indexOf('.');
  return point < 0 ? text.length : point;
};

const plain = (digits: string, digitsBefore: number): string => {
  if (digitsBefore <= 0) return `0.${'0'.repeat(-digitsBefore)}${digits}`;
  if (digitsBefore >= digits.length) return digits.padEnd(digitsBefore, '0');
  return `${digits.slice(0, digitsBefore)}.${digits.slice(digitsBefore)}`;
};

const ZERO = '0';

const withoutLeadingZeros = (digits: string): string => {
  let start = 0;
  while (digits[start] === ZERO) start += 1;
  return digits.slice(start);
};

const withoutTrailingZeros = (digits: string): string => {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === ZERO) end -= 1;
  return digits.slice(0, end);
};
