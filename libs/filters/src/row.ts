import type { Type } from '@penstock/schema';
import type { Column } from './columns';
import type { Test } from './test';

/** Makes the test of a condition from the property's type and the operands in their stored form. */
export type MakeTest = (type: Type, operands: readonly string[]) => Test;

/** How many operands an operator takes. */
export type Arity = 'none' | 'one' | 'two' | 'some';

/** An operator: how many operands it takes, and its test in each column whose types it fits. */
export interface Row {
  readonly arity: Arity;
  readonly tests: Readonly<Partial<Record<Column, MakeTest>>>;
  /** In JSON it compares moments: there its operands are datetimes, else any text. */
  readonly jsonMoments?: true;
  /** What the property must be beside its kind. A json property is always nullable. */
  readonly needs?: 'nullable' | 'readOptional';
}

const negate =
  (make: MakeTest): MakeTest =>
  (type, operands) => {
    const test = make(type, operands);
    return (value) => !test(value);
  };

/** True of all that the row is false of, missing and null included, and false of all that it is true of. */
export const not = (row: Row): Row => {
  const tests = Object.entries(row.tests).map(([column, make]) => [column, negate(make)] as const);
  return { ...row, tests: Object.fromEntries(tests) };
};

/** The same test whatever the type and the operands are. */
export const always =
  (test: Test): MakeTest =>
  () =>
    test;

/** A test of one operand, whatever the type is. */
export const ofText =
  (make: (operand: string) => Test): MakeTest =>
  (_, [operand = '']) =>
    make(operand);
