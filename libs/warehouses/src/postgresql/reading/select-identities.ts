import { escapeLiteral } from 'pg';
import {
  type IdentitiesWanted,
  MAX_ANONYMOUS_ID_BYTES,
  MAX_ANONYMOUS_IDS,
} from '../../platform/warehouse-reader';
import { qualified } from '../sql/names';
import { MAX_PAGE_BYTES } from '../../reading/max-page-bytes';
import { timeSql } from './rows';

const NEWEST = '_id DESC';

/** As many of the first ones as may be read. */
const ANONYMOUS_IDS = `
  ARRAY(SELECT id FROM (
          SELECT id, nth, sum(octet_length(id)) OVER (ORDER BY nth) AS bytes
          FROM unnest(_anonymous_ids[:${String(MAX_ANONYMOUS_IDS)}]) WITH ORDINALITY AS linked (id, nth)) AS measured
        WHERE bytes <= ${String(MAX_ANONYMOUS_ID_BYTES)} ORDER BY nth)`;

/** Those of a profile are few, and found by it: the order by number must not be a reason to look for them among all. */
const AS_FOUND = 'OFFSET 0';

const ownSql = (schema: string, { of, after }: IdentitiesWanted): string => {
  const identities = qualified(schema, '_identities');
  const behind = after === undefined ? '' : ` AND _id < ${escapeLiteral(after)}::bigint`;
  return 'connection' in of
    ? `${identities} WHERE _connection = ${escapeLiteral(of.connection)}${behind}`
    : `(SELECT * FROM ${identities} WHERE _profile_id = ${escapeLiteral(of.profile)}::uuid${behind} ${AS_FOUND}) AS own`;
};

/** Switches off what would read every identity of the connection first, whatever the statistics say. */
export const BY_INDEX: readonly string[] = ['SET LOCAL enable_sort = off', 'SET LOCAL jit = off'];

/** One more than wanted is looked at, which `found` counts; those that are too large together are left out. */
export const selectIdentities = (schema: string, wanted: IdentitiesWanted): string => `
  SELECT _id::text AS id, _connection AS connection, _pipeline AS pipeline, _record_id AS "recordId", _anonymous AS anonymous,
         anonymous_ids AS "anonymousIds", _profile_id::text AS profile, found::int,
         ${timeSql('_updated_at')} AS "updatedAt"
  FROM (SELECT *, count(*) OVER () AS found, row_number() OVER newest AS number,
               sum(octet_length(_record_id) + octet_length(anonymous_ids::text)) OVER newest AS bytes
        FROM (SELECT _id, _connection, _pipeline, _record_id, _anonymous, _profile_id, _updated_at,
                     ${ANONYMOUS_IDS} AS anonymous_ids
              FROM ${ownSql(schema, wanted)}
              ORDER BY ${NEWEST} LIMIT ${String(wanted.limit + 1)}) AS looked_at
        WINDOW newest AS (ORDER BY ${NEWEST} ROWS UNBOUNDED PRECEDING)) AS measured
  WHERE number <= ${String(wanted.limit)} AND (number = 1 OR bytes <= ${String(MAX_PAGE_BYTES)})
  ORDER BY ${NEWEST}`;
