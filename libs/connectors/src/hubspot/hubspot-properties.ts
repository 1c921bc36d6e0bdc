import {
  isPropertyName,
  type Json,
  type JsonObject,
  type Property,
  type Type,
} from '@penstock/schema';
import type { CallContext } from '../connector/call-context';
import type { Settings } from '../connector/connector';
import { listOf, objectOf, stringOf } from '../users/documented';
import { readLargeJson } from '../users/read-json';
import { recently } from '../users/recently';
import { hubspotAccount } from './hubspot-account';

/** A property of contacts that has a kind here. */
interface HubspotProperty {
  readonly property: Property;
  /** Every account has it. */
  readonly isStandard: boolean;
  readonly canBeWritten: boolean;
  /** No two contacts share a value. */
  readonly isUnique: boolean;
}

const TEXT: Type = { kind: 'string' };
const NUMBER: Type = { kind: 'float', bitSize: 64, real: true };
const TEXTS: Type = {
  kind: 'array',
  elementType: TEXT,
  minElements: 0,
  maxElements: 2_147_483_647,
  uniqueElements: false,
};

/** By `type`; what HubSpot adds later has no kind yet, and is left out. */
const TYPES: Readonly<Record<string, Type>> = {
  string: TEXT,
  phone_number: TEXT,
  enumeration: TEXT,
  json: TEXT,
  object_coordinates: TEXT,
  number: NUMBER,
  bool: { kind: 'boolean' },
  date: { kind: 'date' },
  datetime: { kind: 'datetime' },
};

/** The id of a contact, which is read with it whatever the account has. */
export const CONTACT_ID = 'hs_object_id';
const EMAIL = 'email';

/** The present properties of contacts, read once a minute for the same settings. */
export const hubspotProperties = recently((settings: Settings, context: CallContext) => {
  const { properties: url, headers, secrets } = hubspotAccount(settings);
  return readLargeJson({ url, headers, secrets }, context, (json) =>
    listOf(objectOf(json).get('results')).flatMap(readProperty),
  );
});

const readProperty = (json: Json): HubspotProperty[] => {
  const given = objectOf(json);
  const name = stringOf(given.get('name'));
  const type = typeOf(given);
  const isGone = given.get('archived') === true || given.get('hidden') === true;
  if (type === undefined || isGone || !isPropertyName(name)) return [];
  const isStandard = given.get('hubspotDefined') === true;
  return [
    {
      property: {
        name,
        type,
        prefilled: '',
        createRequired: false,
        updateRequired: false,
        readOptional: !isStandard,
        nullable: name !== CONTACT_ID,
        description: '',
      },
      isStandard,
      canBeWritten: canBeWritten(given),
      isUnique: name === EMAIL || name === CONTACT_ID || given.get('hasUniqueValue') === true,
    },
  ];
};

/** Several options of an enumeration are one text in which they are separated. */
const typeOf = (given: JsonObject): Type | undefined => {
  const type = stringOf(given.get('type'));
  if (type === 'enumeration' && given.get('fieldType') === 'checkbox') return TEXTS;
  return Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
};

const canBeWritten = (given: JsonObject): boolean => {
  const modification = given.get('modificationMetadata');
  const isReadOnly =
    modification !== undefined && objectOf(modification).get('readOnlyValue') === true;
  return !isReadOnly && given.get('calculated') !== true;
};
