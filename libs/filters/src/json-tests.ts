import {
  canonicalDateTime,
  compareCodePoints,
  compareDateTimes,
  JsonNumber,
} from '@penstock/schema';
import { numberKey, numberOrder } from './number-order';
import type { Order, Test } from './test';
import { containsText } from './text-tests';

/** Whether the text of a number is one of the operands: it is read once, however many they are. */
const equalsNumber = (operands: readonly string[]): ((text: string) => boolean) => {
  const [only = ''] = operands;
  const order = operands.length === 1 ? numberOrder(only) : undefined;
  if (order !== undefined) return (text) => order(text) === 0;
  const keys: ReadonlySet<string> = new Set(operands.flatMap((each) => numberKey(each) ?? []));
  if (keys.size === 0) return () => false;
  return (text) => keys.has(numberKey(text) ?? NO_NUMBER);
};

/** No key of a number. */
const NO_NUMBER = '-';

/** A number equals an operand that is a number, a string the operand as it was given; nothing else does. */
export const jsonEqualsOneOf = (operands: readonly string[]): Test => {
  const texts: ReadonlySet<string> = new Set(operands);
  const equals = equalsNumber(operands);
  return (value) => {
    if (typeof value === 'string') return texts.has(value);
    return value instanceof JsonNumber && equals(value.text);
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
