import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { LinkedIdentity, ProfileLink } from '../../platform/profile-reads';
import { placeOf } from './places';
import { areTexts, areTextsOrNull, isTextOrNull, memberOf, type Row, unfit } from './rows';

const TABLE = '_identity_keys';

const member = memberOf(TABLE);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

const isRule = (value: unknown): value is ProfileLink['rule'] =>
  ['a', 'b', 'c', 'd'].includes(value as string);

const identityOf = (text: string): LinkedIdentity => {
  const [connection, pipeline, recordId, anonymous] = JSON.parse(text) as readonly unknown[];
  if (!areTexts([connection, pipeline, recordId]) || typeof anonymous !== 'boolean')
    throw unfit(TABLE, 'identity');
  return {
    connection: connection as ConnectionId,
    pipeline: pipeline as PipelineId,
    recordId: recordId as string,
    anonymous,
  };
};

/**
 * A link that was read, with its place among those of the profile.
 *
 * @param identifiers paths, by which the profile was resolved.
 * @throws WarehouseFault `unusable` for a row that no resolver has written.
 */
export const storedLink =
  (identifiers: readonly string[]) =>
  (row: Row): ProfileLink => {
    const rule = member(row, 'rule', isRule);
    return {
      rule,
      identifier: rule === 'd' ? (identifiers[member(row, 'nth', isCount)] ?? null) : null,
      value: member(row, 'value', isTextOrNull),
      identities: member(row, 'values', areTexts).map(identityOf),
      count: member(row, 'members', isCount),
      place: placeOf(member(row, 'place', areTextsOrNull)),
    };
  };
