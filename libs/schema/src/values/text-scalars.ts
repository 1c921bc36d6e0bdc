import { canonicalDate } from '../texts/date';
import { canonicalDateTime } from '../texts/date-time';
import { canonicalIp } from '../texts/ip';
import { canonicalTime } from '../texts/time';
import { canonicalUuid } from '../texts/uuid';
import type { Value } from '../value';
import type { Scalar } from './scalar-codec';

/** A kind whose values are texts of one canonical form. */
const textScalar = (
  expected: string,
  canonical: (text: string) => string | undefined,
): Scalar<string> => ({
  expected,
  fromString: canonical,
  is: (value: Value): value is string => typeof value === 'string' && canonical(value) === value,
  refuse: () => undefined,
  text: (value) => value,
  isQuoted: () => true,
});

export const TEXT_SCALARS = {
  datetime: textScalar('a date and time of ISO 8601, years 1 to 9999', canonicalDateTime),
  date: textScalar('a date as yyyy-mm-dd, years 1 to 9999', canonicalDate),
  time: textScalar('a time as HH:mm:ss, with up to 9 digits of fraction', canonicalTime),
  uuid: textScalar('a UUID', canonicalUuid),
  ip: textScalar('an IPv4 or IPv6 address', canonicalIp),
} as const;
