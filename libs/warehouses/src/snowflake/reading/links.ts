import type { ConnectionId, PipelineId } from '@penstock/contracts';
import { snowflakeText } from '@penstock/databases';
import {
  type LinkedIdentity,
  type LinksWanted,
  MAX_LINKED,
  type ProfileLink,
} from '../../platform/profile-reads';
import { MAX_PAGE_BYTES } from '../../reading/max-page-bytes';
import { type Place, qualified } from '../sql/names';
import { selectPage } from './page-sql';
import { placeIn, type Sorting } from './places';
import { membersOf, type Row, type Selection, unfit } from './rows';
import { byNumber, byText } from './sorting';

const TABLE = '_IDENTITY_KEYS';

const member = membersOf(TABLE);
const identityMember = membersOf('_IDENTITIES');

/** By rule; then by the priority of the identifier, or by the kind of the key; then by the key. */
const BY_RULE: Sorting = {
  by: byText('RULE'),
  isDescending: false,
  isOptional: false,
  ids: [byNumber('NTH'), byText('KEY')],
};

/** Of the owner of an anonymous id, by its mask. */
const IS_OWNER = `"KIND" = 'n' AND "MASK" = 1`;

/** The key of a value of an identifier is of a kind that ends with the place of the identifier. */
const NTH = `CASE WHEN "RULE" = 'd' THEN CAST(SUBSTR("KIND", 2) AS NUMBER(38,0)) WHEN "KIND" = 'k' THEN 0 ELSE 1 END`;

/**
 * SQL of who is in a link of the profile, by rule, kind and key. Two of a bucket are joined when their masks have no bit in
 * common: its distinct masks are compared, not its members.
 */
const membersSql = (place: Place, profile: string): string => `
  WITH "OWN" AS (
    SELECT k."KIND", k."KEY", k."MASK", k."IDENTITY"
    FROM ${qualified(place, '_IDENTITIES')} AS i
    JOIN ${qualified(place, TABLE)} AS k ON k."IDENTITY" = i."_ID"
    WHERE i."_PROFILE_ID" = ${snowflakeText(profile)} AND k."KIND" <> 'o'),
  "BUCKET" AS (
    SELECT "KIND", "KEY", "MASK", COUNT(*) AS "MEMBERS" FROM "OWN"
    WHERE "KIND" <> 'p' GROUP BY "KIND", "KEY", "MASK"),
  "MEMBER" AS (SELECT * FROM "BUCKET" WHERE NOT (${IS_OWNER})),
  "JOINED" AS (
    SELECT DISTINCT m."KIND", m."KEY", m."MASK"
    FROM "MEMBER" AS m JOIN "MEMBER" AS o ON o."KIND" = m."KIND" AND o."KEY" = m."KEY"
    WHERE BITAND(o."MASK", m."MASK") = 0 AND (o."MASK" <> m."MASK" OR o."MEMBERS" > 1)),
  "OWNED" AS (
    SELECT "KEY" FROM "BUCKET" WHERE "KIND" = 'n' GROUP BY "KEY" HAVING COUNT(*) > 1),
  "NAMING" AS (
    SELECT p."KEY", p."IDENTITY" AS "ONE", n."IDENTITY" AS "OTHER"
    FROM (SELECT * FROM "OWN" WHERE "KIND" = 'p') AS p
    JOIN (SELECT * FROM "OWN" WHERE "KIND" IN ('k', 'n') AND NOT (${IS_OWNER})) AS n
      ON n."KEY" = p."KEY"
    WHERE n."IDENTITY" <> p."IDENTITY")
  SELECT CASE WHEN k."KIND" IN ('k', 'n') THEN 'a' ELSE 'd' END AS "RULE", k."KIND", k."KEY", k."IDENTITY"
  FROM "OWN" AS k JOIN "JOINED" AS j ON j."KIND" = k."KIND" AND j."KEY" = k."KEY" AND j."MASK" = k."MASK"
  UNION SELECT 'b', k."KIND", k."KEY", k."IDENTITY"
  FROM "OWN" AS k JOIN "OWNED" AS o ON o."KEY" = k."KEY" WHERE k."KIND" = 'n'
  UNION SELECT 'c', 'p', "KEY", "ONE" FROM "NAMING"
  UNION SELECT 'c', 'p', "KEY", "OTHER" FROM "NAMING"`;

/** SQL of the first identities of a link, as an array of their numbers. */
const FIRST = `ARRAY_SLICE(ARRAY_AGG("IDENTITY") WITHIN GROUP (ORDER BY "IDENTITY"), 0, ${String(MAX_LINKED)})`;

/** The links of a profile, with the numbers of their first identities. */
export const selectLinks = (
  place: Place,
  { profile, limit, after }: Omit<LinksWanted, 'identifiers'>,
): Selection =>
  selectPage({
    ...{ after, limit, maxBytes: MAX_PAGE_BYTES, sorting: BY_RULE, conditions: [] },
    table: `
      (SELECT "RULE", "KIND", "KEY", ${NTH} AS "NTH", COUNT(*) AS "MEMBERS", ${FIRST} AS "FIRST"
       FROM (${membersSql(place, profile)}) AS "LINKED" GROUP BY "RULE", "KIND", "KEY") AS "LINK"`,
    shown: {
      ...{ RULE: '"RULE"', NTH: '"NTH"', KEY: '"KEY"', MEMBERS: '"MEMBERS"', FIRST: '"FIRST"' },
    },
    bytes: 'OCTET_LENGTH("KEY") + 200 * LEAST("MEMBERS", 100)',
  });

/** The identities of some numbers. */
export const selectLinked = (place: Place, numbers: readonly string[]): Selection => ({
  sql: `SELECT "_ID", "_CONNECTION", "_PIPELINE", "_RECORD_ID", "_ANONYMOUS"
        FROM ${qualified(place, '_IDENTITIES')} WHERE "_ID" IN (${numbers.join(', ')})`,
  names: ['ID', 'CONNECTION', 'PIPELINE', 'RECORD', 'ANONYMOUS'],
});

const NUMBER = /^\d{1,38}$/;

/** Numbers of the first identities of a link, in their order. @throws WarehouseFault `unusable` */
export const firstOf = (row: Row): readonly string[] => {
  const numbers = member
    .text(row, 'FIRST')
    .slice(1, -1)
    .split(',')
    .map((text) => text.trim());
  if (numbers.every((number) => NUMBER.test(number))) return numbers;
  throw unfit(TABLE, 'identity');
};

/** The identities that {@link selectLinked} gives, by their numbers. @throws WarehouseFault `unusable` */
export const linkedOf = (rows: readonly Row[]): ReadonlyMap<string, LinkedIdentity> =>
  new Map(
    rows.map((row) => [
      identityMember.text(row, 'ID'),
      {
        connection: identityMember.text(row, 'CONNECTION') as ConnectionId,
        pipeline: identityMember.text(row, 'PIPELINE') as PipelineId,
        recordId: identityMember.text(row, 'RECORD'),
        anonymous: identityMember.flag(row, 'ANONYMOUS'),
      },
    ]),
  );

const isRule = (rule: string): rule is ProfileLink['rule'] => ['a', 'b', 'c', 'd'].includes(rule);

/** A plain key begins with `=`; that of a record has its connection, and a space, before the record id. */
const valueOf = (rule: string, key: string): string | null => {
  if (!key.startsWith('=')) return null;
  return rule === 'd' ? key.slice(1) : key.slice(key.indexOf(' ') + 1);
};

const placeOf = placeIn(TABLE, BY_RULE);

/**
 * A link that was read, with its place among those of the profile.
 *
 * @param identifiers paths, by which the profile was resolved.
 * @param linked identities by their numbers; those that are gone by now are left out.
 * @throws WarehouseFault `unusable` for a row that no resolver has written.
 */
export const storedLink =
  (identifiers: readonly string[], linked: ReadonlyMap<string, LinkedIdentity>) =>
  (row: Row): ProfileLink => {
    const rule = member.text(row, 'RULE');
    if (!isRule(rule)) throw unfit(TABLE, 'rule');
    return {
      rule,
      identifier: rule === 'd' ? (identifiers[member.count(row, 'NTH')] ?? null) : null,
      value: valueOf(rule, member.text(row, 'KEY')),
      identities: firstOf(row).flatMap((number) => linked.get(number) ?? []),
      count: member.count(row, 'MEMBERS'),
      place: placeOf(row),
    };
  };
