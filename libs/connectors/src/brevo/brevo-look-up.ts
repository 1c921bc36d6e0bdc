import { type Json, type JsonObject, JsonNumber, type Value } from '@penstock/schema';
import { readOptionalText } from '@penstock/settings';
import type { FoundUser, UserLookUp } from '../connector/user-destination';
import { objectOf } from '../users/documented';
import { Undocumented } from '../users/read-json';
import { getFrom } from '../users/reading-vendor';
import { brevoAccess } from './brevo-access';

/** How the vendor calls the identifiers. */
const IDENTIFIER_TYPES: Readonly<Record<string, string>> = {
  id: 'contact_id',
  email: 'email_id',
  ext_id: 'ext_id',
};

const NOT_FOUND = 404;

const idIn = (contact: JsonObject): string => {
  const id = contact.get('id');
  if (!(id instanceof JsonNumber)) throw new Undocumented('an id is missing');
  return id.text;
};

const foundIn = (json: Json, status: number, value: Value): readonly FoundUser[] => {
  const answer = objectOf(json);
  if (status !== NOT_FOUND) return [{ id: idIn(answer), value }];
  if (readOptionalText(answer, 'code') === 'document_not_found') return [];
  throw new Undocumented('the code of what is not found is missing');
};

/**
 * Finds contacts by what tells them from others, one a request.
 *
 * Source: Brevo Developers, "Get a contact's details", version 3, read in November 2026.
 */
export const brevoLookUp: UserLookUp = {
  maxValues: 1,
  properties: () => Promise.resolve({ kind: 'answered', value: Object.keys(IDENTIFIER_TYPES) }),
  find: (property, [value = ''], settings, context) => {
    const type = IDENTIFIER_TYPES[property];
    if (type === undefined) throw new TypeError(`contacts cannot be looked up by ${property}`);
    const place = typeof value === 'string' || typeof value === 'bigint' ? String(value) : '';
    if (place === '') return Promise.resolve({ kind: 'answered', value: [] });
    const path = `/contacts/${encodeURIComponent(place)}?identifierType=${type}`;
    const access = { ...brevoAccess(settings), alsoAnswers: new Set([NOT_FOUND]) };
    return getFrom(access, path, context, (json, status) => foundIn(json, status, value));
  },
};
