/** Rows as the columns that `unnest` takes: one array for each of the picks. */
export const columns = <Row>(
  rows: readonly Row[],
  ...picks: readonly ((row: Row) => unknown)[]
): unknown[][] => picks.map((pick) => rows.map(pick));

/**
 * A parameter for an array of numbers, UUIDs or base64url texts. The driver's own arrays hold any text, at several times
 * the cost: it looks in each for quotes and backslashes.
 */
export const plainArray = (values: readonly (string | number)[]): string => `{${values.join(',')}}`;
