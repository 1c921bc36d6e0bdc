import {
  compareCodePoints,
  compareDateTimes,
  compareDecimals,
  type Type,
  parseFloatText,
} from '@penstock/schema';
import type { Order, Test } from './test';

/** What an operand, as it is read back, is in memory: the same as a value of the type. */
export const operandValue = (type: Type, operand: string): string | number | bigint => {
  if (type.kind === 'int') return type.bitSize === 64 ? BigInt(operand) : Number(operand);
  if (type.kind === 'float') return parseFloatText(operand, type.bitSize) ?? NaN;
  return type.kind === 'year' ? Number(operand) : operand;
};

/** The value is one of the operands. Values in memory are canonical, so equal values are identical. */
export const equalsOneOf = (type: Type, operands: readonly string[]): Test => {
  const values = operands.map((operand) => operandValue(type, operand));
  const [only] = values;
  if (values.length === 1) return (value) => value === only;
  const set: ReadonlySet<unknown> = new Set(values);
  return (value) => set.has(value);
};

const compareUnits = (left: string, right: string): number =>
  left < right ? -1 : Number(left > right);

const textOrder =
  (compare: (left: string, right: string) => number) =>
  (operand: string): Order =>
  (value) =>
    typeof value === 'string' ? compare(value, operand) : NaN;

const ofText = textOrder(compareCodePoints);
const ofDateTime = textOrder(compareDateTimes);
const ofDecimal = textOrder(compareDecimals);
/** Dates and times of day have a fixed width up to the fraction: their texts order as they do. */
const ofDigits = textOrder(compareUnits);

const ofNumber =
  (operand: number): Order =>
  (value) =>
    typeof value === 'number' ? value - operand : NaN;

const ofBigInt =
  (operand: bigint): Order =>
  (value) => {
    if (typeof value !== 'bigint') return NaN;
    return value < operand ? -1 : Number(value > operand);
  };

/** The order of a type's values around an operand. */
export const typedOrder = (type: Type, operand: string): Order => {
  if (type.kind === 'string') return ofText(operand);
  if (type.kind === 'datetime') return ofDateTime(operand);
  if (type.kind === 'decimal') return ofDecimal(operand);
  const value = operandValue(type, operand);
  if (typeof value === 'number') return ofNumber(value);
  return typeof value === 'bigint' ? ofBigInt(value) : ofDigits(value);
};
