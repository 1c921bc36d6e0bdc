import { jsonMomentOrder, jsonOrder } from './json-tests';
import { ofText, type MakeTest, type Row } from './row';
import type { Order, Test } from './test';
import { typedOrder } from './typed-tests';

type OfOrder = (order: Order) => Test;

const typed =
  (make: OfOrder): MakeTest =>
  (type, [operand = '']) =>
    make(typedOrder(type, operand));

export const less: OfOrder = (order) => (value) => order(value) < 0;
export const lessOrEqual: OfOrder = (order) => (value) => order(value) <= 0;
export const greater: OfOrder = (order) => (value) => order(value) > 0;
export const greaterOrEqual: OfOrder = (order) => (value) => order(value) >= 0;

/** Compares whatever has an order but moments. */
export const comparison = (make: OfOrder): Row => ({
  arity: 'one',
  tests: {
    string: typed(make),
    number: typed(make),
    json: ofText((operand) => make(jsonOrder(operand))),
  },
});

/** Compares moments. */
export const succession = (make: OfOrder): Row => ({
  arity: 'one',
  jsonMoments: true,
  tests: {
    moment: typed(make),
    json: ofText((operand) => make(jsonMomentOrder(operand))),
  },
});

const within =
  (lower: Order, upper: Order): Test =>
  (value) =>
    lower(value) >= 0 && upper(value) <= 0;

const typedRange: MakeTest = (type, [lower = '', upper = '']) =>
  within(typedOrder(type, lower), typedOrder(type, upper));

/** Both ends belong to the range; reversed bounds enclose nothing. */
export const range: Row = {
  arity: 'two',
  tests: {
    string: typedRange,
    number: typedRange,
    moment: typedRange,
    json: (_, [lower = '', upper = '']) => within(jsonOrder(lower), jsonOrder(upper)),
  },
};
