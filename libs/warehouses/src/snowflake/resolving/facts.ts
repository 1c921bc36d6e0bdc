import { MOST_NAMED } from '../../resolving/limits';
import type { RecordedProfileFact } from '../../platform/resolver';
import { type Place, qualified } from '../sql/names';
import { microseconds } from './take-dirty';

/** SQL of the oldest recorded facts. */
export const selectFacts = (place: Place, limit: number): string => `
  SELECT "ID", ${microseconds('"AT"')}, "FACT" FROM ${qualified(place, '_OUTBOX')}
  ORDER BY "ID" LIMIT ${String(limit)}`;

/** A fact of {@link selectFacts}. */
export const recordedFact = (row: readonly (string | null)[]): RecordedProfileFact => {
  const [number, at, fact] = row.map(String);
  return {
    number: number ?? '',
    atMs: Number(at) / 1_000,
    fact: JSON.parse(fact ?? '') as RecordedProfileFact['fact'],
  };
};

const member = (name: string): string => `o."FACT"['${name}']`;

/** SQL of the members of a fact with others for some of them. */
const told = (members: Readonly<Record<string, string>>): string =>
  `TO_VARIANT(OBJECT_CONSTRUCT(${Object.entries(members)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')}))`;

const merge = (absorbed: string, joinedBy: string): string =>
  told({
    ...{ type: member('type'), survivor: member('survivor') },
    ...{ absorbed, joinedBy: `COALESCE(${joinedBy}, ARRAY_CONSTRUCT())` },
  });

const split = (created: string): string =>
  told({ type: member('type'), kept: member('kept'), created, reason: member('reason') });

/** SQL of the elements of the lists of published facts, with their places. */
const elements = (list: string): string => `
  SELECT o.ID, o."FACT", o."AT", f.INDEX AS PLACE, f.VALUE AS ELEMENT, f.VALUE::VARCHAR AS NAME
  FROM published AS o, LATERAL FLATTEN(INPUT => ${member(list)}) AS f`;

/** SQL of those lists, not longer than a fact in the history of a profile names others. */
const lists = (name: string): string => `
  SELECT ID, ARRAY_AGG(ELEMENT) WITHIN GROUP (ORDER BY PLACE) AS NAMED FROM ${name}
  WHERE PLACE < ${String(MOST_NAMED)} GROUP BY ID`;

const textOf = (name: string): string => `${member(name)}::VARCHAR`;

/**
 * A statement that takes the facts up to a number into the history of each profile that they name: to one that was absorbed or
 * split off, a fact says nothing of the others. Of one that was erased only its deletion stays.
 *
 * @param upTo SQL of the number.
 */
export const keepFacts = (place: Place, upTo: string): string => `
  INSERT INTO ${qualified(place, '_PROFILE_HISTORY')} ("PROFILE_ID", "ID", "AT", "FACT")
  WITH published AS (
    SELECT "ID" AS ID, "FACT", "AT" FROM ${qualified(place, '_OUTBOX')} WHERE "ID" <= ${upTo}),
  absorbed AS (${elements('absorbed')}),
  joined AS (${elements('joinedBy')}),
  created AS (${elements('created')}),
  told AS (
    SELECT COALESCE(${textOf('survivor')}, ${textOf('kept')}, ${textOf('id')}) AS PROFILE, o.ID, o."AT",
           CASE ${textOf('type')}
             WHEN 'ProfilesMerged' THEN ${merge('a.NAMED', 'j.NAMED')}
             WHEN 'ProfileSplit' THEN ${split('c.NAMED')}
             ELSE o."FACT" END AS FACT
    FROM published AS o LEFT JOIN (${lists('absorbed')}) AS a ON a.ID = o.ID
    LEFT JOIN (${lists('joined')}) AS j ON j.ID = o.ID LEFT JOIN (${lists('created')}) AS c ON c.ID = o.ID
    UNION ALL
    SELECT o.NAME, o.ID, o."AT",
           ${merge('ARRAY_CONSTRUCT(o.ELEMENT)', 'IFF(j.ID IS NULL, NULL, ARRAY_CONSTRUCT(j.ELEMENT))')}
    FROM absorbed AS o LEFT JOIN joined AS j ON j.ID = o.ID AND j.PLACE = o.PLACE
    UNION ALL
    SELECT o.NAME, o.ID, o."AT", ${split('ARRAY_CONSTRUCT(o.ELEMENT)')} FROM created AS o)
  SELECT t.PROFILE, t.ID, t."AT", t.FACT
  FROM told AS t LEFT JOIN ${qualified(place, '_ERASED_PROFILES')} AS e ON e."PROFILE_ID" = t.PROFILE
  WHERE t.FACT['type']::VARCHAR = 'ProfileDeleted' OR e."PROFILE_ID" IS NULL`;

/** A statement that takes those facts out of the outbox. */
export const dropFacts = (place: Place, upTo: string): string =>
  `DELETE FROM ${qualified(place, '_OUTBOX')} WHERE "ID" <= ${upTo}`;
