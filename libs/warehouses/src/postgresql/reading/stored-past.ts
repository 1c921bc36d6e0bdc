import type { ProfileFact } from '@penstock/contracts';
import type { PastOfProfile } from '../../platform/profile-reads';
import { placeOf } from './places';
import { areTextsOrNull, isText, isTime, memberOf, type Row, unfit } from './rows';

const TABLE = '_profile_history';

const member = memberOf(TABLE);

const TYPES: ReadonlySet<unknown> = new Set<ProfileFact['type']>([
  'ProfileCreated',
  'ProfilesMerged',
  'ProfileSplit',
  'ProfileDeleted',
]);

const factOf = (text: string): ProfileFact => {
  const fact = JSON.parse(text) as ProfileFact;
  if (!TYPES.has(fact.type)) throw unfit(TABLE, 'fact');
  return fact;
};

/** What has happened, with its place in the history. @throws WarehouseFault `unusable` for a row that no resolver has written */
export const storedPast = (row: Row): PastOfProfile => ({
  at: member(row, 'at', isTime),
  fact: factOf(member(row, 'values', isText)),
  place: placeOf(member(row, 'place', areTextsOrNull)),
});
