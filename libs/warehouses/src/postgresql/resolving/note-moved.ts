import { qualified } from '../sql/names';
import type { Batch } from './batch';
import { connectionOf, isPlain, KINDS, OWNER, recordIdOf } from './identity-keys';
import { hasEvents } from './profile-of-event';

/** SQL of the columns of an identity that are noted. */
const NOTED = 'i._connection, i._anonymous, i._record_id';

/**
 * A statement that notes in `_moving` the identities that have events: those get the profile of the identity afterwards.
 *
 * @param rows SQL that selects connection, whether it is anonymous, and record id.
 */
const noteSelected = (schema: string, rows: string): string => `
  INSERT INTO ${qualified(schema, '_moving')} (connection, anonymous, record_id)
  SELECT * FROM (${rows}) AS m (connection, anonymous, record_id)
  WHERE ${hasEvents(schema, 'm')}
  ON CONFLICT DO NOTHING`;

/** A statement that changes identities, known as `i`, and notes them. */
export const noteChanged = (schema: string, update: string): string => `
  WITH moving AS (${update} RETURNING ${NOTED})
  ${noteSelected(schema, 'SELECT * FROM moving')}`;

/** Identities that are gone, unless another pipeline has the same record. */
const selectGone = ({ schema, tables }: Batch): string => `
  SELECT ${connectionOf('a.key')}, a.kind = '${KINDS.anonymous}', ${recordIdOf('a.key')}
  FROM ${tables.altered} AS a JOIN ${tables.taken} AS t ON t.identity = a.identity
  WHERE t.is_gone AND NOT a.is_gained AND ${isPlain('a.key')}
    AND (a.kind = '${KINDS.known}' OR a.kind = '${KINDS.anonymous}' AND a.mask <> ${OWNER})
    AND NOT EXISTS (SELECT FROM ${qualified(schema, '_identity_keys')} AS k
                    WHERE k.kind = a.kind AND k.key = a.key AND k.mask <> ${OWNER})`;

/** Identities that had no keys: events that were written meanwhile did not find them. */
const selectUnknown = ({ schema, tables }: Batch): string => `
  SELECT ${NOTED}
  FROM ${tables.taken} AS t JOIN ${qualified(schema, '_identities')} AS i ON i._id = t.identity
  WHERE NOT t.had_keys AND t.profile = i._profile_id`;

/** Notes whose events may have another profile than their identity, though it has kept its own. */
export const noteKept = async (batch: Batch): Promise<void> => {
  await batch.write('looksUp', noteSelected(batch.schema, selectUnknown(batch)));
  await batch.write('looksUp', noteSelected(batch.schema, selectGone(batch)));
};
