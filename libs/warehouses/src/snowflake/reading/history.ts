import type { ProfileFact } from '@penstock/contracts';
import { snowflakeText } from '@penstock/databases';
import type { HistoryWanted, PastOfProfile } from '../../platform/profile-reads';
import { MAX_PAGE_BYTES } from '../../reading/max-page-bytes';
import { type Place, qualified } from '../sql/names';
import { selectPage } from './page-sql';
import { placeIn, type Sorting } from './places';
import { membersOf, type Row, type Selection, unfit } from './rows';
import { byMoment, byNumber } from './sorting';

const TABLE = '_PROFILE_HISTORY';

const member = membersOf(TABLE);

const IN_ORDER: Sorting = {
  by: byMoment('AT'),
  isDescending: false,
  isOptional: false,
  ids: [byNumber('ID')],
};

export const selectHistory = (place: Place, { profile, limit, after }: HistoryWanted): Selection =>
  selectPage({
    ...{ after, limit, maxBytes: MAX_PAGE_BYTES, sorting: IN_ORDER },
    table: qualified(place, TABLE),
    conditions: [`"PROFILE_ID" = ${snowflakeText(profile)}`],
    shown: { AT: '"AT"', FACT: '"FACT"' },
    bytes: 'OCTET_LENGTH(TO_JSON("FACT"))',
  });

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

const placeOf = placeIn(TABLE, IN_ORDER);

/** What has happened, with its place in the history. @throws WarehouseFault `unusable` for a row that no resolver has written */
export const storedPast = (row: Row): PastOfProfile => ({
  at: member.time(row, 'AT'),
  fact: factOf(member.text(row, 'FACT')),
  place: placeOf(row),
});
