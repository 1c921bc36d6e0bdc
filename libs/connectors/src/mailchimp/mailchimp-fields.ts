import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@penstock/schema';
import { readOptionalObject, readOptionalText } from '@penstock/settings';
import { NUMBER, TEXT } from '../event-types/event-schema';
import { ownField, textsOf, type UserField, type WrittenField } from '../users/user-fields';

const DATETIME = { kind: 'datetime' };
const INT = { kind: 'int', bitSize: 32 };

const STATUSES = ['subscribed', 'unsubscribed', 'cleaned', 'pending', 'transactional'];

const known = (name: string, type: object, written?: WrittenField): UserField => ({
  name,
  type,
  nullable: true,
  ...(written && { written: { ...written, nullable: false } }),
});

const LOCATION = {
  kind: 'object',
  properties: [
    ...['latitude', 'longitude'].map((name) => ({ name, type: NUMBER, nullable: true })),
    ...['country_code', 'timezone', 'region'].map((name) => ({ name, type: TEXT, nullable: true })),
  ].map((property) => ({ ...property, readOptional: true })),
};

/** Members that every audience has. */
const STANDARD: readonly UserField[] = [
  { name: 'id', type: TEXT, description: 'MD5 hash of the e-mail address in lower case.' },
  {
    name: 'email_address',
    type: TEXT,
    description: 'Of no other member of the audience.',
    written: { createRequired: true, updateRequired: true },
  },
  {
    name: 'status',
    type: TEXT,
    description: 'Such as subscribed or unsubscribed.',
    written: { createRequired: true, type: { ...TEXT, values: STATUSES } },
  },
  { ...known('contact_id', TEXT), readOptional: true },
  known('unique_email_id', TEXT),
  known('full_name', TEXT),
  known('email_type', TEXT, { type: { ...TEXT, values: ['html', 'text'] } }),
  known('language', TEXT, {}),
  { name: 'vip', type: { kind: 'boolean' }, written: {} },
  known('interests', { kind: 'map', elementType: { kind: 'boolean' } }, {}),
  known('member_rating', INT),
  known('ip_signup', TEXT, {}),
  known('timestamp_signup', DATETIME, {}),
  known('ip_opt', TEXT, {}),
  known('timestamp_opt', DATETIME, {}),
  known('last_changed', DATETIME),
  known('email_client', TEXT),
  known('location', LOCATION),
  known('source', TEXT),
  known('tags', { kind: 'array', elementType: TEXT }),
];

const STANDARD_NAMES = new Set(STANDARD.map(({ name }) => name));

const ADDRESS = textsOf('addr1', 'addr2', 'city', 'state', 'zip', 'country');

const choicesOf = (field: JsonObject): readonly string[] => {
  const choices = readOptionalObject(field, 'options')?.get('choices');
  return isJsonArray(choices) ? choices.filter((each) => typeof each === 'string') : [];
};

/** What may be written of a field that offers choices: members keep those that are offered no more. */
const chosen = (field: JsonObject): WrittenField => {
  const values = choicesOf(field);
  return values.length === 0 ? {} : { type: { ...TEXT, values } };
};

/** A merge field under its tag; undefined: the tag cannot be the name of a property. */
const mergeField = (field: JsonObject): UserField | undefined => {
  const tag = readOptionalText(field, 'tag') ?? '';
  if (!/^[A-Za-z_]\w*$/.test(tag) || STANDARD_NAMES.has(tag)) return undefined;
  const description = readOptionalText(field, 'name');
  const own = (type: object, written: WrittenField = {}): UserField => ({
    ...ownField(tag, type, written),
    ...(description !== undefined && { description }),
  });
  switch (readOptionalText(field, 'type')) {
    case 'number':
      return own(NUMBER);
    case 'date':
      return own({ kind: 'date' });
    case 'address':
      return own(ADDRESS);
    case 'radio':
    case 'dropdown':
      return own(TEXT, chosen(field));
    default:
      return own(TEXT);
  }
};

/**
 * The properties of the members of an audience: those of all audiences, and its merge fields under their tags.
 *
 * Source: Mailchimp Developer, "List members info", "Merge fields" and "List merge fields", version 3.0, read in
 * November 2026.
 */
export const mailchimpFields = (mergeFields: readonly JsonObject[]): readonly UserField[] => {
  const own = mergeFields.flatMap((field) => mergeField(field) ?? []);
  return [...STANDARD, ...new Map(own.map((field) => [field.name, field])).values()];
};

/** Whether a property is one that every audience has. */
export const isStandard = (name: string): boolean => STANDARD_NAMES.has(name);

const tagNames = (tags: Json | undefined): Json | undefined =>
  isJsonArray(tags) ? tags.map((tag) => (isJsonObject(tag) ? (tag.get('name') ?? '') : tag)) : tags;

/** The JSON of a property of a member. */
export const mailchimpValue = (member: JsonObject, name: string): Json | undefined => {
  if (name === 'tags') return tagNames(member.get(name));
  if (isStandard(name)) return member.get(name);
  return readOptionalObject(member, 'merge_fields')?.get(name);
};
