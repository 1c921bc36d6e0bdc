import { snowflakeText } from '@penstock/databases';
import type { ConnectionId, PipelineId } from '@penstock/contracts';
import {
  type IdentitiesWanted,
  MAX_ANONYMOUS_ID_BYTES,
  MAX_ANONYMOUS_IDS,
  type StoredIdentity,
} from '../../platform/warehouse-reader';
import { MAX_PAGE_BYTES } from '../../reading/max-page-bytes';
import { type Place, qualified } from '../sql/names';
import { selectPage } from './page-sql';
import type { Sorting } from './places';
import { membersOf, type Row, type Selection } from './rows';
import { byNumber } from './sorting';

const TABLE = '_IDENTITIES';

const member = membersOf(TABLE);

const BY_NUMBER = byNumber('_ID');
const NEWEST: Sorting = { by: BY_NUMBER, isDescending: true, isOptional: false, ids: [BY_NUMBER] };

/** As many of the first ones as may be read, but for their bytes. */
const ANONYMOUS_IDS = `ARRAY_SLICE("_ANONYMOUS_IDS", 0, ${String(MAX_ANONYMOUS_IDS)})`;

const ownerSql = ({ of }: IdentitiesWanted): string =>
  'connection' in of
    ? `"_CONNECTION" = ${snowflakeText(of.connection)}`
    : `"_PROFILE_ID" = ${snowflakeText(of.profile)}`;

const NUMBER = /^-?\d{1,38}$/;

/** A place that is no number is behind all: nobody was given it. */
const afterSql = ({ after }: IdentitiesWanted): readonly string[] => {
  if (after === undefined) return [];
  return [NUMBER.test(after) ? `"_ID" < ${after}` : 'FALSE'];
};

export const selectIdentities = (place: Place, wanted: IdentitiesWanted): Selection =>
  selectPage({
    table: qualified(place, TABLE),
    conditions: [ownerSql(wanted), ...afterSql(wanted)],
    sorting: NEWEST,
    after: undefined,
    limit: wanted.limit,
    maxBytes: MAX_PAGE_BYTES,
    shown: {
      ...{ ID: '"_ID"', CONNECTION: '"_CONNECTION"', PIPELINE: '"_PIPELINE"' },
      ...{ RECORD: '"_RECORD_ID"', ANONYMOUS: '"_ANONYMOUS"', LINKED: ANONYMOUS_IDS },
      ...{ PROFILE: '"_PROFILE_ID"', UPDATED: '"_UPDATED_AT"' },
    },
    bytes: `OCTET_LENGTH("_RECORD_ID") + COALESCE(OCTET_LENGTH(TO_JSON(${ANONYMOUS_IDS})), 0)`,
  });

/** As many of the first ones as have the bytes that may be read. */
const firstOf = (ids: readonly string[]): readonly string[] => {
  let bytes = 0;
  const end = ids.findIndex((id) => {
    bytes += Buffer.byteLength(id);
    return bytes > MAX_ANONYMOUS_ID_BYTES;
  });
  return end < 0 ? ids : ids.slice(0, end);
};

/** @throws WarehouseFault `unusable` for a row that no writer has written. */
export const storedIdentity = (row: Row): StoredIdentity => ({
  place: member.text(row, 'ID'),
  updatedAt: member.time(row, 'UPDATED'),
  connection: member.text(row, 'CONNECTION') as ConnectionId,
  pipeline: member.text(row, 'PIPELINE') as PipelineId,
  recordId: member.text(row, 'RECORD'),
  anonymous: member.flag(row, 'ANONYMOUS'),
  // The column takes no default: null is empty.
  anonymousIds: row['LINKED'] === null ? [] : firstOf(member.texts(row, 'LINKED')),
  profile: member.textOrNull(row, 'PROFILE'),
});
