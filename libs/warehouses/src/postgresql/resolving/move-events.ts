import { EVENTS_TABLE } from '../layout/events-table';
import { qualified } from '../sql/names';
import type { Batch } from './batch';
import { MOVED } from './give-ids';
import { connectionOf, isPlain, KINDS, keyOfRecord, OWNER, recordIdOf } from './identity-keys';

/** SQL of the profile of an event that is being written: that of its identity, where it has one that is resolved. */
export const profileOfEvent = (schema: string, event: string): string => `
  (SELECT i._profile_id
   FROM ${qualified(schema, '_identity_keys')} AS k
   JOIN ${qualified(schema, '_identities')} AS i ON i._id = k.identity
   WHERE k.kind = CASE WHEN ${event}.user_id IS NULL THEN '${KINDS.anonymous}' ELSE '${KINDS.known}' END
     AND k.key = ${keyOfRecord(`${event}.connection_id`, `coalesce(${event}.user_id, ${event}.anonymous_id)`)}
     AND k.mask <> ${OWNER} AND i._profile_id IS NOT NULL
   LIMIT 1)`;

/** Notes in `moved` the identities that are gone, unless another pipeline has the same record. */
const noteGone = ({ schema, tables }: Batch): string => `
  INSERT INTO ${tables.moved} (connection, record_id, anonymous, profile)
  SELECT ${connectionOf('a.key')}, ${recordIdOf('a.key')}, a.kind = '${KINDS.anonymous}', NULL
  FROM ${tables.altered} AS a JOIN ${tables.taken} AS t ON t.identity = a.identity
  WHERE t.is_gone AND NOT a.is_gained AND ${isPlain('a.key')}
    AND (a.kind = '${KINDS.known}' OR a.kind = '${KINDS.anonymous}' AND a.mask <> ${OWNER})
    AND NOT EXISTS (SELECT FROM ${qualified(schema, '_identity_keys')} AS k
                    WHERE k.kind = a.kind AND k.key = a.key AND k.mask <> ${OWNER})`;

/** Notes in `moved` the identities that had no keys: events that were written meanwhile did not find them. */
const noteUnknown = ({ schema, tables }: Batch): string => `
  INSERT INTO ${tables.moved} (connection, record_id, anonymous, profile)
  SELECT ${MOVED}
  FROM ${tables.taken} AS t JOIN ${qualified(schema, '_identities')} AS i ON i._id = t.identity
  WHERE NOT t.had_keys AND t.profile = i._profile_id`;

/** Whether there is any event; nobody adds one meanwhile. */
export const hasEvents = async (batch: Batch): Promise<boolean> => {
  const [some] = await batch.rows<{ some: boolean }>(
    'looksUp',
    `SELECT EXISTS (SELECT FROM ${qualified(batch.schema, EVENTS_TABLE.name)}) AS some`,
  );
  return some?.some === true;
};

/** Gives the events of identities that have another profile by now that profile. */
export const moveEvents = async (batch: Batch): Promise<void> => {
  const { schema, tables } = batch;
  await batch.write('looksUp', noteUnknown(batch));
  await batch.fill('moved', 'looksUp', noteGone(batch));
  const move = (isOfIdentity: string): string => `
    UPDATE ${qualified(schema, EVENTS_TABLE.name)} AS e SET profile_id = m.profile
    FROM ${tables.moved} AS m
    WHERE e.connection_id = m.connection AND ${isOfIdentity}
      AND e.profile_id IS DISTINCT FROM m.profile`;
  await batch.write('looksUp', move('NOT m.anonymous AND e.user_id = m.record_id'));
  await batch.write(
    'looksUp',
    move('m.anonymous AND e.user_id IS NULL AND e.anonymous_id = m.record_id'),
  );
};
