/** `0.digits × 10^place`, without leading or trailing zeros; zero has no digits. */
interface Exact {
  readonly negative: boolean;
  readonly digits: string;
  readonly place: bigint;
}

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const ZERO = 48;

/** Not by `/0+$/`, which is quadratic in a long run of zeros. */
const withoutZeros = (digits: string): { digits: string; leading: number } => {
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charCodeAt(start) === ZERO) start += 1;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return { digits: digits.slice(start, end), leading: start };
};

const exact = (text: string): Exact | undefined => {
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const { digits, leading } = withoutZeros(whole + fraction);
  const place = BigInt(exponent) + BigInt(whole.length - leading);
  return { negative: sign === '-' && digits !== '', digits, place };
};

const compareSizes = (left: Exact, right: Exact): number => {
  if (left.digits === '' || right.digits === '') return left.digits.length - right.digits.length;
  if (left.place !== right.place) return left.place < right.place ? -1 : 1;
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -1 : 1;
};

const compare = (left: Exact, right: Exact): number => {
  if (left.negative !== right.negative) return left.negative ? -1 : 1;
  return left.negative ? compareSizes(right, left) : compareSizes(left, right);
};

/** Up to 15 significant digits, a double keeps decimals apart and in order (IEEE 754-2019, 5.12.2). */
const EXACT_CHARACTERS = 15;
const LARGEST = 1e290;
const SMALLEST = 1e-290;

const shortNumber = (text: string): number | undefined => {
  if (text.length > EXACT_CHARACTERS) return undefined;
  const number = Number(text);
  const size = Math.abs(number);
  if (size >= SMALLEST && size <= LARGEST) return number;
  return text === '0' ? 0 : undefined;
};

/**
 * Compares number texts with one operand: exactly, whatever their digits and exponents, and without
 * writing out what an exponent stands for.
 *
 * @returns undefined when the operand is not a number by the grammar of JSON; else a function of the text of
 *   such a number: negative when it is less, 0 when equal, positive when greater, `NaN` for an empty text.
 */
export const numberOrder = (operand: string): ((text: string) => number) | undefined => {
  const right = exact(operand);
  if (right === undefined) return undefined;
  const short = shortNumber(operand);
  return (text) => {
    if (text === operand) return 0;
    const number = short === undefined ? undefined : shortNumber(text);
    if (short !== undefined && number !== undefined) return number - short;
    const left = exact(text);
    return left === undefined ? NaN : compare(left, right);
  };
};

/** A text that is the same for equal numbers. @returns undefined for what is no number by the grammar of JSON */
export const numberKey = (text: string): string | undefined => {
  const number = exact(text);
  if (number === undefined || number.digits === '') return number?.digits;
  return `${number.negative ? '-' : ''}${number.digits}e${String(number.place)}`;
};
