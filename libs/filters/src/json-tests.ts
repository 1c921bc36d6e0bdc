import {
  canonicalDateTime,
  compareCodePoints,
  compareDateTimes,
  JsonNumber,
} from '@penstock/schema';
import { numberOrder } from './number-order';
import type { Order, Test } from './test';
import { containsText } from './text-tests';

/** A number equals an operand that is a number, a string the operand as it was given; nothing else does. */
export const jsonEqualsOneOf = (operands: readonly string[]): Test => {
  const texts: ReadonlySet<string> = new Set(operands);
  const orders = operands.flatMap((operand) => numberOrder(operand) ?? []);
  return (value) => {
    if (typeof value === 'string') return texts.has(value);
    return value instanceof JsonNumber && orders.some((order) => order(value.text) === 0);
  };
};

/** Numbers numerically, if the operand is one; strings as text. */
export const jsonOrder = (operand: string): Order => {
  const order = numberOrder(operand);
  return (value) => {
    if (typeof value === 'string') return compareCodePoints(value, operand);
    return value instanceof JsonNumber && order !== undefined ? order(value.text) : NaN;
  };
};

/** Strings that are datetimes, by instant. */
export const jsonMomentOrder =
  (operand: string): Order =>
  (value) => {
    const moment = typeof value === 'string' ? canonicalDateTime(value) : undefined;
    return moment === undefined ? NaN : compareDateTimes(moment, operand);
  };

/** A string by what is in it, an array by its elements: numbers and strings, not nested. */
export const jsonContains = (operand: string): Test => {
  const inText = containsText(operand);
  const equals = jsonEqualsOneOf([operand]);
  return (value) => (Array.isArray(value) ? value.some(equals) : inText(value));
};
