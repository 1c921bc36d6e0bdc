import { isPropertyName, type Json, type JsonObject, JsonNumber } from '@penstock/schema';
import { readObjects, readOptionalObject, readOptionalText } from '@penstock/settings';
import { NUMBER, TEXT } from '../event-types/event-schema';
import { ownField, type UserField } from '../users/user-fields';

const DATETIME = { kind: 'datetime' };
const BOOLEAN = { kind: 'boolean' };
const LONG = { kind: 'int', bitSize: 64 };

/** Members that every contact has. */
const STANDARD: readonly UserField[] = [
  { name: 'id', type: LONG, description: 'Of no other contact.' },
  {
    name: 'email',
    type: TEXT,
    nullable: true,
    description: 'Of no other contact.',
    written: { nullable: false },
  },
  {
    ...ownField('ext_id', TEXT, { nullable: false }),
    description: 'Of no other contact: the attribute EXT_ID.',
  },
  { name: 'emailBlacklisted', type: BOOLEAN, written: {} },
  { name: 'smsBlacklisted', type: BOOLEAN, written: {} },
  { name: 'listIds', type: { kind: 'array', elementType: LONG }, written: {} },
  { name: 'createdAt', type: DATETIME },
  { name: 'modifiedAt', type: DATETIME },
];

const STANDARD_NAMES = new Set(STANDARD.map(({ name }) => name));

/** Of these there is a standard member; a contact has no others in capital letters. */
const SHOWN_AS_STANDARD = new Set(['EMAIL', 'EXT_ID']);

/** Categories of attributes that a contact has; the others are of the account, or of orders. */
const OF_CONTACTS = new Set(['normal', 'category']);

const TYPES: Readonly<Record<string, object>> = {
  text: TEXT,
  date: { kind: 'date' },
  float: NUMBER,
  boolean: BOOLEAN,
  id: LONG,
  'multiple-choice': { kind: 'array', elementType: TEXT },
};

/** An attribute of the account, ready for use. */
export interface BrevoAttribute {
  readonly field: UserField;
  /** Labels by the numbers that stand for them; empty where there are none. */
  readonly labels: ReadonlyMap<string, string>;
}

const labelsIn = (attribute: JsonObject): ReadonlyMap<string, string> =>
  new Map(
    readObjects(attribute, 'enumeration').flatMap((choice): [string, string][] => {
      const value = choice.get('value');
      const label = readOptionalText(choice, 'label');
      return value instanceof JsonNumber && label !== undefined ? [[value.text, label]] : [];
    }),
  );

const attributeOf = (attribute: JsonObject): BrevoAttribute | undefined => {
  const name = readOptionalText(attribute, 'name') ?? '';
  const category = readOptionalText(attribute, 'category') ?? '';
  const isShown = isPropertyName(name) && OF_CONTACTS.has(category);
  if (!isShown || STANDARD_NAMES.has(name) || SHOWN_AS_STANDARD.has(name)) return undefined;
  if (category === 'category')
    return { field: ownField(name, TEXT, {}), labels: labelsIn(attribute) };
  const type = TYPES[readOptionalText(attribute, 'type') ?? ''];
  return type && { field: ownField(name, type, {}), labels: new Map() };
};

/**
 * The attributes of contacts, by their names. Those without a counterpart among the types are left out.
 *
 * Source: Brevo Developers, "List all attributes", version 3, read in November 2026.
 */
export const brevoAttributes = (
  attributes: readonly JsonObject[],
): ReadonlyMap<string, BrevoAttribute> =>
  new Map(
    attributes.flatMap((each) => {
      const attribute = attributeOf(each);
      return attribute === undefined ? [] : [[attribute.field.name, attribute] as const];
    }),
  );

/** The properties of contacts: those of all accounts, and the attributes of this one. */
export const brevoFields = (
  attributes: ReadonlyMap<string, BrevoAttribute>,
): readonly UserField[] => [...STANDARD, ...[...attributes.values()].map(({ field }) => field)];

/** Whether a property is one that every contact has. */
export const isStandard = (name: string): boolean => STANDARD_NAMES.has(name);

const labelled = (json: Json | undefined, attribute: BrevoAttribute | undefined) =>
  json instanceof JsonNumber ? (attribute?.labels.get(json.text) ?? json) : json;

/** The JSON of a property of a contact; undefined: it has none. */
export const brevoValue = (
  contact: JsonObject,
  name: string,
  attributes: ReadonlyMap<string, BrevoAttribute>,
): Json | undefined => {
  const own = readOptionalObject(contact, 'attributes');
  if (name === 'ext_id') return own?.get('EXT_ID') ?? contact.get(name);
  return isStandard(name) ? contact.get(name) : labelled(own?.get(name), attributes.get(name));
};
