/** Turns rows into column arrays for `unnest`, one for each of the picks. */
export const columns = <Row>(
  rows: readonly Row[],
  ...picks: readonly ((row: Row) => unknown)[]
): unknown[][] => picks.map((pick) => rows.map(pick));

/**
 * A parameter for an array of numbers, UUIDs or base64url texts, which need no escaping. The driver's own arrays take
 * any text, at several times the cost: it searches each for quotes and backslashes.
 */
export const plainArray = (values: readonly (string | number)[]): string => `{${values.join(',')}}`;
