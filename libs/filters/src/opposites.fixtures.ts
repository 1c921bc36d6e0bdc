import type { Operator } from './operators';

/** Each operator that has an opposite, and its opposite. */
export const OPPOSITES: Readonly<Partial<Record<Operator, Operator>>> = {
  is: 'is not',
  'is between': 'is not between',
  contains: 'does not contain',
  'is one of': 'is not one of',
  'is empty': 'is not empty',
  'is null': 'is not null',
  exists: 'does not exist',
};
