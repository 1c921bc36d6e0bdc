import type { Type } from '@penstock/schema';

const EXPECTED: Readonly<Partial<Record<Type['kind'], string>>> = {
  float: 'a finite number, like 1.5',
  decimal: 'a number of at most 76 digits before the point and 37 after it, like 1.5',
  datetime: 'an ISO 8601 date and time, like 2024-02-29T10:11:12Z',
  date: 'a date, like 2024-02-29',
  time: 'a time of day, like 10:11:12',
  year: 'a year from 1 to 9999',
  uuid: 'a UUID, like 550e8400-e29b-41d4-a716-446655440000',
  ip: 'an IPv4 or IPv6 address',
};

/** What an operand of the type must be, for an error message. */
export const expectedOperand = (type: Type): string => {
  if (type.kind === 'int')
    return `${type.unsigned ? 'an integer without a sign' : 'an integer'} of at most 64 bits`;
  if (type.kind === 'string' && type.values !== undefined)
    return `one of ${type.values.map((value) => JSON.stringify(value)).join(', ')}`;
  return EXPECTED[type.kind] ?? 'a text';
};
