import type { DeliveriesWanted } from '@penstock/contracts';
import type { DeliveryPlace } from './delivery-id';
import { DELIVERY_COLUMNS } from './delivery-row';

/** A statement with its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The last delivery of the page before. */
export interface ListPlace extends DeliveryPlace {
  /** Milliseconds since 1970. */
  readonly receivedMs: number;
}

/** Collects the parameters of a statement. */
class Parameters {
  readonly values: unknown[] = [];

  /** Adds a parameter. @returns its name in the statement. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/**
 * The condition on the leading columns of an index: `deliveries_of_pipeline`, `deliveries_of_lane` or
 * `deliveries_of_workspace`. All deliveries of a pipeline have the same lane.
 */
const scopeOf = (
  workspace: string,
  { pipeline, connection, state }: DeliveriesWanted,
  parameters: Parameters,
): string => {
  let scope = `d.workspace = ${parameters.add(workspace)}`;
  if (pipeline !== undefined) scope += ` AND d.pipeline = ${parameters.add(pipeline)}`;
  else if (connection !== undefined) scope += ` AND d.lane = ${parameters.add(connection)}`;
  return state === undefined ? scope : `${scope} AND d.state = ${parameters.add(state)}`;
};

const windowOf = ({ from, to }: DeliveriesWanted, parameters: Parameters): string =>
  [
    ...(from === undefined ? [] : [` AND d.received >= ${parameters.add(from)}::timestamptz`]),
    ...(to === undefined ? [] : [` AND d.received < ${parameters.add(to)}::timestamptz`]),
  ].join('');

const afterOf = (after: ListPlace | undefined, parameters: Parameters): string => {
  if (after === undefined) return '';
  const received = `to_timestamp(${parameters.add(after.receivedMs)}::bigint / 1000.0)::timestamptz(3)`;
  const key = [after.partition, after.offset, after.pipeline].map((each) => parameters.add(each));
  return ` AND (d.received, d.partition, d."offset", d.pipeline)
             < (${received}, ${key[0]}::int, ${key[1]}::bigint, ${key[2]}::text)`;
};

const NEWEST_FIRST = (table: string): string =>
  ['received', 'partition', '"offset"', 'pipeline']
    .map((column) => `${table}.${column} DESC`)
    .join(', ');

/**
 * Reads a page of at most `limit` deliveries, newest first. Finds the states and codes that occur by skipping through the
 * index, takes a page of keys of each, and merges them: the rows that are read are bounded by the page and the number of
 * different codes, not by the number of deliveries. Skips from the end, since entries of removed rows, which are the
 * oldest, stay at the beginning of each code until the next vacuum.
 */
export const listStatement = (
  workspace: string,
  wanted: DeliveriesWanted,
  { limit, after }: { readonly limit: number; readonly after: ListPlace | undefined },
): Statement => {
  const parameters = new Parameters();
  const scope = scopeOf(workspace, wanted, parameters);
  const window = windowOf(wanted, parameters) + afterOf(after, parameters);
  const { code } = wanted;
  const most = parameters.add(limit);
  const text = `
WITH RECURSIVE kinds AS (
  (SELECT d.state, d.code FROM penstock_router.deliveries d WHERE ${scope}
    ORDER BY d.state DESC, d.code DESC LIMIT 1)
  UNION ALL
  SELECT next.state, next.code FROM kinds k CROSS JOIN LATERAL (
    SELECT d.state, d.code FROM penstock_router.deliveries d
     WHERE ${scope} AND (d.state, d.code) < (k.state, k.code)
     ORDER BY d.state DESC, d.code DESC LIMIT 1) next
), keys AS (
  SELECT d.* FROM kinds k CROSS JOIN LATERAL (
    SELECT d.received, d.partition, d."offset", d.pipeline FROM penstock_router.deliveries d
     WHERE ${scope} AND d.state = k.state AND d.code = k.code${window}
     ORDER BY ${NEWEST_FIRST('d')} LIMIT ${most}) d
   ${code === undefined ? '' : `WHERE k.code = ${parameters.add(code)}`}
   ORDER BY ${NEWEST_FIRST('d')} LIMIT ${most}
)
SELECT ${DELIVERY_COLUMNS}
  FROM keys JOIN penstock_router.deliveries d USING (partition, "offset", pipeline)
 ORDER BY ${NEWEST_FIRST('d')}`;
  return { text, values: parameters.values };
};

/** Counts deliveries by state and code, and by pipeline too: rows without a pipeline are the sums over all of them. */
export const countStatement = (
  workspace: string,
  wanted: DeliveriesWanted,
  maxPipelines: number,
): Statement => {
  const parameters = new Parameters();
  const scope = scopeOf(workspace, wanted, parameters) + windowOf(wanted, parameters);
  const { code, pipeline, connection } = wanted;
  const ofCode = code === undefined ? '' : ` AND d.code = ${parameters.add(code)}`;
  const ofLane =
    pipeline === undefined || connection === undefined
      ? ''
      : ` AND d.lane = ${parameters.add(connection)}`;
  const text = `
WITH numbers AS MATERIALIZED (
  SELECT d.pipeline, d.state, d.code, count(*) AS count FROM penstock_router.deliveries d
   WHERE ${scope}${ofCode}${ofLane} GROUP BY 1, 2, 3
)
SELECT NULL AS pipeline, state, code, sum(count)::float8 AS count FROM numbers GROUP BY state, code
UNION ALL
(SELECT pipeline, state, code, count::float8 FROM numbers
  ORDER BY count DESC, pipeline, state, code LIMIT ${parameters.add(maxPipelines)})`;
  return { text, values: parameters.values };
};
