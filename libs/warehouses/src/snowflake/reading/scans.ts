import type { ScannedProfile, ScanPageWanted, ScanWanted } from '../../platform/profile-reads';
import { MAX_SCANNED_BYTES } from '../../reading/max-page-bytes';
import { profileColumns } from '../columns/profile-columns';
import { filterSql } from '../filtering/filter-sql';
import { type Place, qualified } from '../sql/names';
import { selectPage } from './page-sql';
import { orderSql, type Sorting } from './places';
import { recordReader, valuesBytes, valuesShown } from './record-cells';
import { membersOf, type Row, type Selection, shownSql } from './rows';
import { byUuid, wholeColumn } from './sorting';

const TABLE = '_PROFILES';

const member = membersOf(TABLE);

const ID = byUuid('_PROFILE_ID');
const BY_ID: Sorting = { by: ID, isDescending: false, isOptional: false, ids: [ID] };

/** What is read of each profile, and whether it matches: nothing is read of one that does not. */
const scanned = (place: Place, { properties, filter }: ScanWanted) => {
  const columns = profileColumns(properties);
  const profiles = qualified(place, TABLE);
  const own = { ID: '"_PROFILE_ID"' };
  const [values, bytes] = [valuesShown(columns), valuesBytes(columns)];
  if (filter === null)
    return { table: profiles, shown: { ...own, MATCHES: 'TRUE', ...values }, bytes };
  const matching = `COALESCE(${filterSql(filter, properties, columns)}, FALSE)`;
  const ifMatching = Object.entries(values).map(
    ([name, sql]) => [name, `IFF("_MATCHES", ${sql}, NULL)`] as const,
  );
  return {
    table: `(SELECT *, ${matching} AS "_MATCHES" FROM ${profiles}) AS "_CHECKED"`,
    shown: { ...own, MATCHES: '"_MATCHES"', ...Object.fromEntries(ifMatching) },
    bytes: `IFF("_MATCHES", ${bytes}, 0)`,
  };
};

/** A page in the order of the ids. */
export const selectScanPage = (place: Place, wanted: ScanPageWanted): Selection =>
  selectPage({
    ...scanned(place, wanted),
    conditions: [],
    sorting: BY_ID,
    after: wanted.after === undefined ? undefined : JSON.stringify([wanted.after, wanted.after]),
    limit: wanted.limit,
    maxBytes: MAX_SCANNED_BYTES,
  });

/** All of them in the order of the values at a path, those without one last. */
export const selectScan = (place: Place, wanted: ScanWanted, path: string): Selection => {
  const { table, shown } = scanned(place, wanted);
  const by = wholeColumn(path, profileColumns(wanted.profiles.schema));
  const order = orderSql({ by, isDescending: false, isOptional: true, ids: [ID] });
  return {
    sql: `SELECT ${shownSql(shown)} FROM ${table} ORDER BY ${order}`,
    names: Object.keys(shown),
  };
};

/** @throws WarehouseFault `unusable` for a row that no writer has written. */
export const scannedProfile = ({ properties }: ScanWanted): ((row: Row) => ScannedProfile) => {
  const record = recordReader(TABLE, profileColumns(properties));
  return (row) => ({
    id: member.text(row, 'ID'),
    attributes: member.flag(row, 'MATCHES') ? record(row) : null,
  });
};
