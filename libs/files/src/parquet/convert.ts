import { isUtf8 } from 'node:buffer';
import { JsonSyntaxError, JsonText, parseJson } from '@penstock/schema';
import { BadValue } from './leaf';

const MAX_DEPTH = 128;
const SECONDS_PER_DAY = 86_400;
const MS_PER_DAY = 86_400_000;
/** Days from 1970 of 0001-01-01 and of 9999-12-31. */
const FIRST_DAY = -719_162;
const LAST_DAY = 2_932_896;

const NOT_TEXT = new BadValue('is not UTF-8, or holds NUL');
const BEYOND_YEARS = new BadValue('is not in the years 1 to 9999');
const NO_TIME = new BadValue('is no time of a day');
const UNCLEAN = /[\0\p{Cs}]/u;

/** Text of UTF-8. */
export const textOfBytes = (raw: unknown): string | BadValue => {
  const { buffer, byteOffset, length } = raw as Uint8Array;
  const bytes = Buffer.from(buffer, byteOffset, length);
  if (!isUtf8(bytes)) return NOT_TEXT;
  const text = bytes.toString();
  return text.includes('\0') ? NOT_TEXT : text;
};

/** JSON text, made compact; numbers keep their digits. */
export const jsonOf = (raw: unknown): JsonText | BadValue => {
  const text = textOfBytes(raw);
  if (text instanceof BadValue) return text;
  try {
    const json = JsonText.of(parseJson(text, { maxDepth: MAX_DEPTH }));
    return /\\u(0000|d[89a-f])/i.test(json.text) || UNCLEAN.test(json.text) ? NOT_TEXT : json;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return new BadValue(`is not JSON: ${error.message}`);
  }
};

const dayText = (day: number): string => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);

/** A number of days from 1970-01-01. */
export const dateOf = (raw: unknown): string | BadValue => {
  const day = raw as number;
  return day < FIRST_DAY || day > LAST_DAY ? BEYOND_YEARS : dayText(day);
};

/** Fractions of 0, 3, 6 or 9 digits, as few as keep the value. */
const fractionText = (nanos: number): string => {
  if (nanos === 0) return '';
  const digits = String(nanos).padStart(9, '0');
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`;
  return digits.endsWith('000') ? `.${digits.slice(0, 6)}` : `.${digits}`;
};

const two = (value: number): string => (value < 10 ? `0${String(value)}` : String(value));

/** @param seconds of the day. */
const timeText = (seconds: number, nanos: number): string =>
  `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fractionText(nanos)}`;

/** Seconds, rounded down, and the nanoseconds beyond them. */
const divided = (value: bigint, perSecond: bigint): readonly [seconds: number, nanos: number] => {
  let seconds = value / perSecond;
  let rest = value % perSecond;
  if (rest < 0n) {
    seconds -= 1n;
    rest += perSecond;
  }
  return [Number(seconds), Number(rest) * Number(1_000_000_000n / perSecond)];
};

const instantText = (seconds: number, nanos: number): string | BadValue => {
  const day = Math.floor(seconds / SECONDS_PER_DAY);
  if (day < FIRST_DAY || day > LAST_DAY) return BEYOND_YEARS;
  return `${dayText(day)}T${timeText(seconds - day * SECONDS_PER_DAY, nanos)}Z`;
};

/** Units since 1970. A time without a zone is taken as UTC. */
export const timestampOf =
  (perSecond: bigint) =>
  (raw: unknown): string | BadValue =>
    instantText(...divided(raw as bigint, perSecond));

/** Units since midnight. */
export const timeOf =
  (perSecond: bigint) =>
  (raw: unknown): string | BadValue => {
    const [seconds, nanos] = divided(BigInt(raw as number | bigint), perSecond);
    return seconds < 0 || seconds >= SECONDS_PER_DAY ? NO_TIME : timeText(seconds, nanos);
  };

/** The day of the Julian calendar that is 1970-01-01. */
const JULIAN_EPOCH = 2_440_588n;
const NANOS_PER_DAY = 86_400_000_000_000n;

/** A day of the Julian calendar above 64 bits of nanoseconds. */
export const int96Of = (raw: unknown): string | BadValue => {
  const value = raw as bigint;
  const nanos = BigInt.asIntN(64, value);
  const days = (value >> 64n) - JULIAN_EPOCH;
  return instantText(...divided(days * NANOS_PER_DAY + nanos, 1_000_000_000n));
};

const unscaledOf = (raw: unknown): bigint => {
  if (typeof raw === 'bigint' || typeof raw === 'number') return BigInt(raw);
  const bytes = raw as Uint8Array;
  if (bytes.length === 0) return 0n;
  const { buffer, byteOffset, length } = bytes;
  const value = BigInt(`0x${Buffer.from(buffer, byteOffset, length).toString('hex')}`);
  return BigInt.asIntN(8 * length, value);
};

/** Bytes of the longest decimal, with room for their sign. */
const MAX_DECIMAL_BYTES = 64;

/** An integer, or the bytes of one, which counts units of the last digit behind the point. */
export const decimalOf = (
  precision: number,
  scale: number,
): ((raw: unknown) => string | BadValue) => {
  const limit = 10n ** BigInt(precision);
  const tooLong = new BadValue(`has more than ${String(precision)} digits`);
  return (raw) => {
    if (raw instanceof Uint8Array && raw.length > MAX_DECIMAL_BYTES) return tooLong;
    const value = unscaledOf(raw);
    const isNegative = value < 0n;
    const magnitude = isNegative ? -value : value;
    if (magnitude >= limit) return tooLong;
    const digits = magnitude.toString().padStart(scale + 1, '0');
    const whole = digits.slice(0, digits.length - scale);
    const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
    return `${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
  };
};

/** Sixteen bytes. */
export const uuidOf = (raw: unknown): string => {
  const { buffer, byteOffset, length } = raw as Uint8Array;
  const hex = Buffer.from(buffer, byteOffset, length).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** Two bytes of a float of half precision, the lower one first. */
export const float16Of = (raw: unknown): number => {
  const [low = 0, high = 0] = raw as Uint8Array;
  const sign = (high & 0x80) === 0 ? 1 : -1;
  const exponent = (high >> 2) & 0x1f;
  const fraction = (((high & 0x03) << 8) | low) / 1_024;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  const value = exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15);
  return value === 0 ? 0 : sign * value;
};
