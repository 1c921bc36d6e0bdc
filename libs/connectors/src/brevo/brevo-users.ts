import { canonicalDateTime, type Json, type JsonObject, JsonNumber } from '@penstock/schema';
import { readOptionalText } from '@penstock/settings';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import type { Answer, UserQuery, UserSource } from '../connector/user-source';
import { isSince, secondBefore } from '../users/changed-since';
import { integerOf, listOf, objectOf } from '../users/documented';
import { type OffsetPage, type PlacedUser, readOverlapping } from '../users/overlapping-pages';
import { getFrom } from '../users/reading-vendor';
import { recently } from '../users/recently';
import { fieldsToRead } from '../users/user-fields';
import { userValues } from '../users/user-values';
import { brevoAccess } from './brevo-access';
import {
  type BrevoAttribute,
  brevoAttributes,
  brevoFields,
  brevoValue,
  isStandard,
} from './brevo-fields';

/** 80 % of the vendor's ten requests a second, and 36,000 an hour, for contacts. */
export const BREVO_CONTACT_LIMITS = { concurrency: 8, ratePerSecond: 8, burst: 8 };

/** Contacts of a page: a thousand are allowed, and would often be more than the way out reads of an answer. */
const PAGE_SIZE = 500;

/** The attributes that the contacts of the account have now. */
export const brevoAttributesNow = recently(
  (
    settings: Settings,
    context: CallContext,
  ): Promise<Answer<ReadonlyMap<string, BrevoAttribute>>> =>
    getFrom(brevoAccess(settings), '/contacts/attributes', context, (json) =>
      brevoAttributes(listOf(objectOf(json).get('attributes')).map(objectOf)),
    ),
);

const pathOf = ({ changedSince }: UserQuery, offset: number, size: number): string => {
  const query = new URLSearchParams({
    limit: String(size),
    offset: String(offset),
    sort: 'asc',
    ...(changedSince !== null && {
      modifiedSince: secondBefore(changedSince).replace('Z', '.000Z'),
    }),
  });
  return `/contacts?${query.toString()}`;
};

const timeIn = (contact: JsonObject, name: string): string | null =>
  canonicalDateTime(readOptionalText(contact, name) ?? '') ?? null;

const idIn = (contact: JsonObject): string => {
  const id = contact.get('id');
  return id instanceof JsonNumber ? id.text : '';
};

type Attributes = ReadonlyMap<string, BrevoAttribute>;

const placedUser = (
  contact: JsonObject,
  { schema }: UserQuery,
  attributes: Attributes,
): PlacedUser => ({
  order: timeIn(contact, 'createdAt') ?? '',
  user: {
    id: idIn(contact),
    updatedAt: timeIn(contact, 'modifiedAt'),
    ...userValues(schema, (name) => brevoValue(contact, name, attributes)),
  },
});

const pageIn = (json: Json, query: UserQuery, attributes: Attributes): OffsetPage => {
  const answer = objectOf(json);
  return {
    placed: listOf(answer.get('contacts')).map((contact) =>
      placedUser(objectOf(contact), query, attributes),
    ),
    total: integerOf(answer.get('count')),
  };
};

const NONE: Answer<Attributes> = { kind: 'answered', value: new Map() };

/** What the wanted properties need to be read. */
const attributesFor = (
  { schema }: UserQuery,
  settings: Settings,
  context: CallContext,
): Promise<Answer<Attributes>> =>
  schema.properties.every(({ name }) => isStandard(name))
    ? Promise.resolve(NONE)
    : brevoAttributesNow(settings, context);

/**
 * The contacts of an account, in the order of their creation.
 *
 * Source: Brevo Developers, "Get all the contacts" and "API rate limits", version 3, read in November 2026.
 */
export const brevoUserSource: UserSource = {
  readsChanges: true,
  limits: () => BREVO_CONTACT_LIMITS,
  schema: async (settings, context) => {
    const attributes = await brevoAttributesNow(settings, context);
    return attributes.kind === 'answered'
      ? { kind: 'answered', value: fieldsToRead(brevoFields(attributes.value)) }
      : attributes;
  },
  read: async (query, settings, context) => {
    const attributes = await attributesFor(query, settings, context);
    if (attributes.kind !== 'answered') return attributes;
    return readOverlapping(query.cursor, {
      pageSize: PAGE_SIZE,
      keep: ({ updatedAt }) => isSince(updatedAt, query.changedSince),
      fetch: (offset, size) =>
        getFrom(brevoAccess(settings), pathOf(query, offset, size), context, (json) =>
          pageIn(json, query, attributes.value),
        ),
    });
  },
};
