import { canonicalDateTime, type Json, type JsonObject } from '@penstock/schema';
import { readOptionalObject, readOptionalText } from '@penstock/settings';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type {
  Answer,
  ApplicationUser,
  UserPage,
  UserQuery,
  UserSource,
} from '../connector/user-source';
import { isSince, secondBefore } from '../users/changed-since';
import { listOf, objectOf, stringOf } from '../users/documented';
import { readFitting } from '../users/read-json';
import { getFrom } from '../users/reading-vendor';
import { fieldsToRead } from '../users/user-fields';
import { userValues } from '../users/user-values';
import { klaviyoAccess } from './klaviyo-access';
import { KLAVIYO_FIELDS, klaviyoValue } from './klaviyo-fields';

/** The most profiles that the vendor gives in a page. */
const PAGE_SIZE = 100;
const MAX_CURSOR_LENGTH = 2_048;

/** 80 % of what the vendor accepts of reads and writes of profiles: 75 requests a second, 700 a minute. */
export const KLAVIYO_PROFILE_LIMITS = {
  ...{ concurrency: 8, ratePerSecond: 9, burst: 20 },
  group: 'profiles',
};

const PROFILE = fieldsToRead(KLAVIYO_FIELDS);

/** The vendor compares with `greater-than` only. */
const pathOf = ({ schema, changedSince }: UserQuery, cursor: string, size: number): string => {
  const names = schema.properties.map(({ name }) => name).filter((name) => name !== 'id');
  const query = new URLSearchParams({
    'fields[profile]': [...new Set(['updated', ...names])].join(','),
    'page[size]': String(size),
    sort: 'updated',
    ...(changedSince !== null && { filter: `greater-than(updated,${secondBefore(changedSince)})` }),
    ...(cursor !== '' && { 'page[cursor]': cursor }),
  });
  return `/api/profiles?${query.toString()}`;
};

const userOf = (profile: JsonObject, { schema }: UserQuery): ApplicationUser => ({
  id: readOptionalText(profile, 'id') ?? '',
  updatedAt:
    canonicalDateTime(
      readOptionalText(readOptionalObject(profile, 'attributes') ?? new Map(), 'updated') ?? '',
    ) ?? null,
  ...userValues(schema, (name) => klaviyoValue(profile, name)),
});

/** The cursor within the link to the next page: the link itself leads to the vendor's host. */
const nextIn = (answer: JsonObject): string | null => {
  const next = objectOf(answer.get('links')).get('next') ?? null;
  if (next === null) return null;
  const { searchParams } = new URL(stringOf(next), 'https://a.klaviyo.com');
  return stringOf(searchParams.get('page[cursor]'));
};

const pageIn = (json: Json, query: UserQuery): UserPage => {
  const answer = objectOf(json);
  return {
    users: listOf(answer.get('data')).map((profile) => userOf(objectOf(profile), query)),
    next: nextIn(answer),
  };
};

const readPage = (
  query: UserQuery,
  cursor: string,
  settings: Settings,
  context: CallContext,
): Promise<Answer<UserPage>> =>
  readFitting(PAGE_SIZE, (size) =>
    getFrom(klaviyoAccess(settings), pathOf(query, cursor, size), context, (json) =>
      pageIn(json, query),
    ),
  );

/**
 * The profiles of an account, in the order of their last change: one that is changed meanwhile moves to the end, and
 * is read once more.
 *
 * Source: Klaviyo Developers, "Get Profiles" and "Rate limits, status codes, and errors", revision 2026-07-15.
 */
export const klaviyoUserSource: UserSource = {
  readsChanges: true,
  limits: () => KLAVIYO_PROFILE_LIMITS,
  schema: () => Promise.resolve({ kind: 'answered', value: PROFILE }),
  read: async (query, settings, context) => {
    if (query.cursor.length > MAX_CURSOR_LENGTH)
      return { kind: 'rejected', reason: 'no such page' };
    for (let { cursor } = query; ;) {
      const answer = await readPage(query, cursor, settings, context);
      if (answer.kind !== 'answered') return answer;
      const { next } = answer.value;
      const users = answer.value.users.filter(({ updatedAt }) =>
        isSince(updatedAt, query.changedSince),
      );
      if (users.length > 0 || next === null) return { kind: 'answered', value: { users, next } };
      if (next === cursor) return { kind: 'unavailable', reason: 'the pages do not go on' };
      cursor = next;
    }
  },
};
