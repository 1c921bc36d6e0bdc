import type { ScanPageWanted, ScanWanted } from '../../platform/profile-reads';
import { MANY_ROWS, MAX_SCANNED_BYTES } from '../../reading/max-page-bytes';
import { profileColumns } from '../columns/profile-columns';
import { filterSql } from '../filtering/filter-sql';
import { qualified } from '../sql/names';
import { pageSql } from './page-sql';
import { placeOf, type Sorting } from './places';
import { wholeColumn } from './sorting';
import { scannedSql } from './stored-profile';

const ID = { expression: '_profile_id', sqlType: 'uuid' };
const BY_ID: Sorting = { ...ID, isDescending: false, isOptional: false, ids: [ID] };

const scanned = ({ properties, filter }: ScanWanted) => {
  const columns = profileColumns(properties);
  return scannedSql(columns, filter === null ? undefined : filterSql(filter, properties, columns));
};

const tableIn = (schema: string): string => qualified(schema, '_profiles');

/** A page in the order of the ids. */
export const selectScanPage = (schema: string, wanted: ScanPageWanted): string =>
  pageSql({
    table: tableIn(schema),
    conditions: [],
    sorting: BY_ID,
    after: wanted.after === undefined ? undefined : placeOf([wanted.after, wanted.after]),
    limit: wanted.limit,
    maxBytes: MAX_SCANNED_BYTES,
    shown: scanned(wanted),
  });

/** How many there are, as `total`. */
export const countScan = (schema: string): string =>
  `SELECT count(*)::text AS total FROM ${tableIn(schema)}`;

/** Rows of a part of a scan where some are not small. */
export const FEW_ROWS = 50;

const bytesOfNext = (rows: number): string =>
  `(sum(bytes) OVER (listed ROWS BETWEEN 1 FOLLOWING AND ${String(rows)} FOLLOWING))::float8`;

/**
 * All of them in the order of the values at a path. Each row tells how many bytes the values of the next ones have, of
 * {@link MANY_ROWS} and of {@link FEW_ROWS}: null for the last one.
 */
export const selectScan = (schema: string, wanted: ScanWanted, path: string): string => {
  const shown = scanned(wanted);
  const columns = Object.entries(shown).map(([name, sql]) => `${sql} AS "${name}"`);
  const names = Object.keys(shown).map((name) => `"${name}"`);
  const value = wholeColumn(path, profileColumns(wanted.profiles.schema));
  return `
  SELECT ${names.join(', ')}, ${bytesOfNext(MANY_ROWS)} AS many, ${bytesOfNext(FEW_ROWS)} AS few
  FROM (SELECT *, octet_length("values"::text) AS bytes
        FROM (SELECT ${columns.join(', ')}, ${value} AS _sorted_by, _profile_id AS _id
              FROM ${tableIn(schema)}) AS read) AS measured
  WINDOW listed AS (ORDER BY _sorted_by ASC NULLS LAST, _id)
  ORDER BY _sorted_by ASC NULLS LAST, _id`;
};
