import { connectionOf, isPlain, KINDS, OWNER, recordIdOf } from '../../resolving/keys';
import { EVENTS_TABLE } from '../layout/events-table';
import { qualified } from '../sql/names';
import type { Batch } from './batch';

/** SQL of the columns of an identity that are noted. */
const NOTED = 'i."_CONNECTION", i."_ANONYMOUS", i."_RECORD_ID"';

/** Identities that get another profile. */
const selectMoved = ({ place, tables: { moved } }: Batch): string => `
  SELECT ${NOTED} FROM ${moved} AS m JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_ID" = m.IDENTITY`;

/** Identities that had no keys: events that were written meanwhile did not find them. */
const selectUnknown = ({ place, tables: { taken } }: Batch): string => `
  SELECT ${NOTED} FROM ${taken} AS t JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_ID" = t.IDENTITY
  WHERE NOT t.HAD_KEYS AND t.PROFILE = i."_PROFILE_ID"`;

/** Identities that are gone, unless another pipeline has the same record. */
const selectGone = ({ place, tables: { altered, taken } }: Batch): string => {
  const owner = String(OWNER);
  return `
  SELECT ${connectionOf('a.KEY')}, a.KIND = '${KINDS.anonymous}', ${recordIdOf('a.KEY')}
  FROM ${altered} AS a JOIN ${taken} AS t ON t.IDENTITY = a.IDENTITY
  LEFT JOIN ${qualified(place, '_IDENTITY_KEYS')} AS k
    ON k."KIND" = a.KIND AND k."KEY" = a.KEY AND k."MASK" <> ${owner}
  WHERE t.IS_GONE AND NOT a.IS_GAINED AND ${isPlain('a.KEY')} AND k."KEY" IS NULL
    AND (a.KIND = '${KINDS.known}' OR a.KIND = '${KINDS.anonymous}' AND a.MASK <> ${owner})`;
};

/** SQL of whether an event is of a record of {@link RECORD}. */
export const isOfRecord = (event: string, record: string): string =>
  `${event}."CONNECTION_ID" = ${record}."CONNECTION" AND (${event}."USER_ID" IS NULL) = ${record}."ANONYMOUS"
   AND COALESCE(${event}."USER_ID", ${event}."ANONYMOUS_ID") = ${record}."RECORD_ID"`;

/** By what a record is known in events. */
export const RECORD = ['"CONNECTION"', '"ANONYMOUS"', '"RECORD_ID"'] as const;

/** Notes the identities whose events get another profile afterwards, or may have one: those that have events. */
export const noteMoved = async (batch: Batch): Promise<void> => {
  const noted = [selectMoved(batch), selectUnknown(batch), selectGone(batch)].join(' UNION ');
  const isSame = RECORD.map((name) => `m.${name} = n.${name}`).join(' AND ');
  await batch.write(
    `MERGE INTO ${qualified(batch.place, '_MOVING')} AS m
     USING (WITH noted (${RECORD.join(', ')}) AS (${noted})
            SELECT DISTINCT ${RECORD.map((name) => `r.${name}`).join(', ')}
            FROM noted AS r JOIN ${qualified(batch.place, EVENTS_TABLE.name)} AS e ON ${isOfRecord('e', 'r')}) AS n
     ON ${isSame}
     WHEN NOT MATCHED THEN INSERT (${RECORD.join(', ')})
     VALUES (${RECORD.map((name) => `n.${name}`).join(', ')})`,
  );
};
