import { escapeLiteral } from 'pg';
import type { HistoryWanted } from '../../platform/profile-reads';
import { qualified } from '../sql/names';
import { MAX_PAGE_BYTES } from '../../reading/max-page-bytes';
import { pageSql } from './page-sql';
import { placeSql, type Sorting } from './places';
import { timeSql } from './rows';

const IN_ORDER: Sorting = {
  ...{ expression: 'at', sqlType: 'timestamptz', isDescending: false, isOptional: false },
  ids: [{ expression: 'id', sqlType: 'bigint' }],
};

export const selectHistory = (schema: string, { profile, limit, after }: HistoryWanted): string =>
  pageSql({
    ...{ after, limit, maxBytes: MAX_PAGE_BYTES, sorting: IN_ORDER },
    table: qualified(schema, '_profile_history'),
    conditions: [`profile_id = ${escapeLiteral(profile)}::uuid`],
    shown: { at: timeSql('at'), values: 'fact::text', place: placeSql(IN_ORDER) },
  });
