import type { Instant } from '@penstock/contracts';
import { canonicalDateTime } from '@penstock/schema';

/** Source: RFC 3339, 5.6. */
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

const MILLISECONDS = /(?:\.(\d{3})\d*)?Z$/;

/** Parses an RFC 3339 time. @returns undefined for any other text. Digits below the millisecond are cut off. */
export const instantIn = (text: string): Instant | undefined => {
  const canonical = RFC_3339.test(text) ? canonicalDateTime(text) : undefined;
  return canonical?.replace(MILLISECONDS, (_, ms: string | undefined) => `.${ms ?? '000'}Z`) as
    | Instant
    | undefined;
};
