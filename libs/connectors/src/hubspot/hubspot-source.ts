import { isJsonObject, type Json, type Schema } from '@penstock/schema';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type { Answer, UserPage, UserQuery, UserSource } from '../connector/user-source';
import { listOf, objectOf, stringOf } from '../users/documented';
import { readFitting, readJson } from '../users/read-json';
import { hubspotAccount } from './hubspot-account';
import { readChanges } from './hubspot-changes';
import { readContacts } from './hubspot-contacts';
import { hubspotProperties } from './hubspot-properties';
import { hubspotUser } from './hubspot-user';

/** Of the list of contacts. */
const MAX_CONTACTS = 100;
/** Of the names of properties in a URL; with more of them the contacts are read by their ids. */
const MAX_NAMES_LENGTH = 4_000;

const CURSOR = /^[\w%=+/.-]{0,1000}$/;

const RATE = { ratePerSecond: 8, burst: 8 };

/**
 * Contacts of HubSpot, version 3 of the API; archived ones are left out. The rates are 80 % of the lowest that HubSpot
 * allows an app of one account: 100 requests in 10 s, and 5 searches a second.
 *
 * Source: HubSpot's OpenAPI description "Contacts" v3 (rollout 424), and its pages "Properties", "Search the CRM",
 * "Error handling" and "API usage guidelines and limits", read in November 2026.
 */
export const hubspotUserSource: UserSource = {
  readsChanges: true,
  limits: (_, ofChanges) => ({
    concurrency: 1,
    ...(ofChanges ? { ratePerSecond: 4, burst: 1, group: 'search', within: RATE } : RATE),
  }),
  schema: async (settings, context) => {
    const answer = await hubspotProperties(settings, context);
    if (answer.kind !== 'answered') return answer;
    return {
      kind: 'answered',
      value: { kind: 'object', properties: answer.value.map(({ property }) => property) },
    };
  },
  read: (query, settings, context) =>
    query.changedSince === null
      ? readAll(query, settings, context)
      : readChanges({ ...query, changedSince: query.changedSince }, settings, context),
};

/** A page of the list of all contacts. The cursor is HubSpot's own. */
const readAll = async (
  query: UserQuery,
  settings: Settings,
  context: CallContext,
): Promise<Answer<UserPage>> => {
  if (!CURSOR.test(query.cursor)) return { kind: 'rejected', reason: 'no such page' };
  const names = query.schema.properties.map(({ name }) => name).join(',');
  return readFitting(MAX_CONTACTS, async (limit) => {
    if (names.length <= MAX_NAMES_LENGTH) return list(query, { limit, names }, settings, context);
    const page = await list(query, { limit, names: '' }, settings, context);
    return page.kind === 'answered' ? withValues(page.value, query, settings, context) : page;
  });
};

const list = (
  { schema, cursor }: UserQuery,
  { limit, names }: { readonly limit: number; readonly names: string },
  settings: Settings,
  context: CallContext,
): Promise<Answer<UserPage>> => {
  const { contacts, headers, secrets } = hubspotAccount(settings);
  const parameters = new URLSearchParams({
    limit: String(limit),
    ...(cursor !== '' && { after: cursor }),
    ...(names !== '' && { properties: names }),
  });
  const url = `${contacts}?${parameters.toString()}`;
  return readJson({ method: 'GET', url, headers, secrets }, context, (json) =>
    readPage(json, schema),
  );
};

const readPage = (json: Json, schema: Schema): UserPage => {
  const answer = objectOf(json);
  const paging = answer.get('paging');
  const next = isJsonObject(paging) ? paging.get('next') : undefined;
  return {
    users: listOf(answer.get('results')).map((each) => hubspotUser(objectOf(each), schema)),
    next: next === undefined ? null : stringOf(objectOf(next).get('after')),
  };
};

/** The same users with values: the names of many properties are too long for a URL. */
const withValues = async (
  { users, next }: UserPage,
  { schema }: UserQuery,
  settings: Settings,
  context: CallContext,
): Promise<Answer<UserPage>> => {
  if (users.length === 0) return { kind: 'answered', value: { users, next } };
  const ids = users.map(({ id }) => id);
  const names = schema.properties.map(({ name }) => name);
  const found = await readContacts({ ids, names }, settings, context);
  if (found.kind !== 'answered') return found;
  const byId = new Map(found.value.map((each) => [stringOf(each.get('id')), each]));
  const read = ids.flatMap((id) => {
    const contact = byId.get(id);
    return contact === undefined ? [] : [hubspotUser(contact, schema)];
  });
  return { kind: 'answered', value: { users: read, next } };
};
