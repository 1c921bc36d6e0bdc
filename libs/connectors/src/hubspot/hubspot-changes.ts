import { JsonNumber, type Json, writeJson } from '@penstock/schema';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type { Answer, ApplicationUser, UserPage, UserQuery } from '../connector/user-source';
import { jsonMembers } from '../requests/json-members';
import { listOf, objectOf } from '../users/documented';
import { readFitting, readJson } from '../users/read-json';
import { hubspotAccount } from './hubspot-account';
import { CONTACT_ID } from './hubspot-properties';
import { hubspotUser } from './hubspot-user';

/** A search lists a change some seconds late: what was changed since is left to the next reading. */
const SETTLED_MS = 15_000;
const MAX_FOUND = 200;
const CHANGED = 'lastmodifieddate';

const CURSOR = /^(\d{1,15})(?:\.(\d{1,20}))?$/;

/** Where a page of changes begins. */
interface Place {
  /** Milliseconds since 1970. */
  readonly fromMs: number;
  /** Among the contacts that were changed in that very millisecond: those with a greater id. */
  readonly afterId: string | undefined;
}

/** A query for the contacts that were changed since a time. */
export interface ChangesQuery extends UserQuery {
  readonly changedSince: string;
}

/**
 * A page of contacts in the order of their last change. Each page is a search of its own from the time of the last
 * contact on, since a search ends after 10,000 contacts, and a place in it moves with every change. More contacts of one
 * millisecond than a page holds are read in the order of their ids. The last contact of a page can come again.
 */
export const readChanges = async (
  query: ChangesQuery,
  settings: Settings,
  context: CallContext,
): Promise<Answer<UserPage>> => {
  const place = placeOf(query);
  if (place === undefined) return { kind: 'rejected', reason: 'no such page' };
  const page = await readFitting(MAX_FOUND, (limit) =>
    search(query, place, limit, settings, context),
  );
  const isPassed =
    page.kind === 'answered' && page.value.users.length === 0 && place.afterId !== undefined;
  return isPassed
    ? readChanges(
        { ...query, cursor: cursorOf({ fromMs: place.fromMs + 1, afterId: undefined }) },
        settings,
        context,
      )
    : page;
};

const placeOf = ({ cursor, changedSince }: ChangesQuery): Place | undefined => {
  if (cursor === '') return { fromMs: Math.floor(Date.parse(changedSince)), afterId: undefined };
  const [, ms, afterId] = CURSOR.exec(cursor) ?? [];
  return ms === undefined ? undefined : { fromMs: Number(ms), afterId };
};

const cursorOf = ({ fromMs, afterId }: Place): string =>
  afterId === undefined ? String(fromMs) : `${String(fromMs)}.${afterId}`;

const search = (
  { schema, changedSince }: ChangesQuery,
  place: Place,
  limit: number,
  settings: Settings,
  context: CallContext,
): Promise<Answer<UserPage>> => {
  const { contacts, headers, secrets } = hubspotAccount(settings);
  const body = writeJson(
    jsonMembers({
      filterGroups: [jsonMembers({ filters: filtersOf(place) })],
      sorts: [jsonMembers({ propertyName: sortOf(place), direction: 'ASCENDING' })],
      properties: [CHANGED, ...schema.properties.map(({ name }) => name)],
      limit: new JsonNumber(String(limit)),
    }),
  );
  const request = { method: 'POST' as const, url: `${contacts}/search`, headers, body, secrets };
  return readJson(request, context, (json) => {
    const users = listOf(objectOf(json).get('results')).map((each) =>
      hubspotUser(objectOf(each), schema),
    );
    const changed = users.filter(({ updatedAt }) => isSince(updatedAt, changedSince));
    return { users: changed, next: nextOf(users, place, limit) };
  });
};

const sortOf = ({ afterId }: Place): string => (afterId === undefined ? CHANGED : CONTACT_ID);

const filtersOf = ({ fromMs, afterId }: Place): Json[] => {
  if (afterId !== undefined)
    return [filter(CHANGED, 'EQ', fromMs), filter(CONTACT_ID, 'GT', afterId)];
  return [filter(CHANGED, 'GTE', fromMs), filter(CHANGED, 'LTE', Date.now() - SETTLED_MS)];
};

const filter = (propertyName: string, operator: string, value: number | string): Json =>
  jsonMembers({ propertyName, operator, value: String(value) });

/** Times are compared to the microsecond, searched to the millisecond. */
const isSince = (updatedAt: string | null, changedSince: string): boolean =>
  updatedAt === null || Date.parse(updatedAt) >= Math.floor(Date.parse(changedSince));

const nextOf = (users: readonly ApplicationUser[], place: Place, limit: number): string | null => {
  const last = users.at(-1);
  if (last?.updatedAt == null) return null;
  const lastMs = Date.parse(last.updatedAt);
  if (users.length < limit)
    return place.afterId === undefined
      ? null
      : cursorOf({ fromMs: place.fromMs + 1, afterId: undefined });
  if (place.afterId !== undefined) return cursorOf({ fromMs: place.fromMs, afterId: last.id });
  const isOneMoment = Date.parse(users[0]?.updatedAt ?? '') === lastMs;
  return cursorOf({ fromMs: lastMs, afterId: isOneMoment ? '0' : undefined });
};
