import type { PipelineId } from '@penstock/contracts';
import type { DeliveryKey } from '../store/changes';

/** Identifies one delivery among all partitions. */
export interface DeliveryPlace extends DeliveryKey {
  readonly partition: number;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);
/** As many digits as a number holds exactly: big integers are divided once for all of them. */
const DIGITS_AT_ONCE = 8;
const AT_ONCE = BASE ** BigInt(DIGITS_AT_ONCE);
/** Half of the digits of a pipeline, in base 36, as a number holds them exactly. */
const HALF_DIGITS = 10;
const HALF = 36n ** BigInt(HALF_DIGITS);
/** Pipelines whose ids are 20 digits in base 36, as all new ids are. */
const PIPELINES = HALF * HALF;
/** The most partitions that an installation may have. */
const PARTITIONS = 1_024n;
const MIN_DIGITS = 16;

const NEW_ID = /^[0-9a-z]{20}$/;
const NUMBER_FORM = /^[0-9A-Za-z]{16,30}$/;
const PARTS_FORM = /^(\d{1,4})-(m?)(\d{1,16})-([\w-]{12,26})$/;

/** -1 → 1, 1 → 2, -2 → 3: offsets below 0 are those of an earlier log. */
const zigzag = (offset: number): bigint =>
  offset < 0 ? -2n * BigInt(offset) - 1n : 2n * BigInt(offset);

const unzigzag = (value: bigint): number =>
  Number(value % 2n === 0n ? value / 2n : -(value + 1n) / 2n);

/** {@link DIGITS_AT_ONCE} digits. */
const digitsOf = (value: number): string => {
  let text = '';
  for (let rest = value, at = 0; at < DIGITS_AT_ONCE; at += 1) {
    text = DIGITS.charAt(rest % DIGITS.length) + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
};

const toDigits = (value: bigint): string => {
  let text = '';
  for (let rest = value; rest > 0n; rest /= AT_ONCE) text = digitsOf(Number(rest % AT_ONCE)) + text;
  return text.replace(/^0+/, '').padStart(MIN_DIGITS, '0');
};

const ofDigits = (text: string): bigint =>
  Array.from(text).reduce((value, digit) => value * BASE + BigInt(DIGITS.indexOf(digit)), 0n);

const pipelineNumber = (id: string): bigint =>
  BigInt(parseInt(id.slice(0, HALF_DIGITS), 36)) * HALF +
  BigInt(parseInt(id.slice(HALF_DIGITS), 36));

/**
 * The opaque id of a delivery: URL-safe; up to 26 characters for the first 10^12 events of a partition. A pipeline whose
 * id is not of the form of new ids is in it as it is, so that the id is longer.
 */
export const deliveryId = ({ partition, offset, pipeline }: DeliveryPlace): string => {
  if (!NEW_ID.test(pipeline))
    return `${partition}-${offset < 0 ? 'm' : ''}${Math.abs(offset)}-${pipeline}`;
  const place = zigzag(offset) * PARTITIONS + BigInt(partition);
  return toDigits(place * PIPELINES + pipelineNumber(pipeline));
};

const read = (id: string): DeliveryPlace | undefined => {
  const parts = PARTS_FORM.exec(id);
  if (parts !== null) {
    const [, partition, minus, digits, pipeline] = parts;
    const offset = Number(digits) * (minus === '' ? 1 : -1);
    return { partition: Number(partition), offset, pipeline: pipeline as PipelineId };
  }
  if (!NUMBER_FORM.test(id)) return undefined;
  const value = ofDigits(id);
  const place = value / PIPELINES;
  return {
    partition: Number(place % PARTITIONS),
    offset: unzigzag(place / PARTITIONS),
    pipeline: (value % PIPELINES).toString(36).padStart(20, '0') as PipelineId,
  };
};

/** The delivery that {@link deliveryId} has named so; undefined for any other text. */
export const deliveryPlace = (id: string): DeliveryPlace | undefined => {
  const place = read(id);
  if (place === undefined || !Number.isSafeInteger(place.offset)) return undefined;
  return deliveryId(place) === id ? place : undefined;
};
