import type { Json, JsonObject } from '@penstock/schema';
import { readOptionalObject } from '@penstock/settings';
import { ANY_JSON, NUMBER, TEXT } from '../event-types/event-schema';
import type { UserField } from '../users/user-fields';

const DATETIME = { kind: 'datetime' };

const PLACE = ['address1', 'address2', 'city', 'country', 'region', 'zip', 'timezone', 'ip'];

const LOCATION = {
  kind: 'object',
  properties: [
    ...PLACE.map((name) => ({ name, type: TEXT })),
    ...['latitude', 'longitude'].map((name) => ({ name, type: NUMBER })),
  ].map((property) => ({ ...property, nullable: true, readOptional: true })),
};

const read = (name: string, type: object, description?: string): UserField => ({
  name,
  type,
  nullable: true,
  ...(description !== undefined && { description }),
});

const written = (...field: Parameters<typeof read>): UserField => ({
  ...read(...field),
  written: {},
});

/**
 * The properties of profiles. The vendor lists nowhere which properties an account has added: they are a map.
 *
 * Source: Klaviyo Developers, "Get Profiles", "Create Profile" and "Update Profile", revision 2026-07-15.
 */
export const KLAVIYO_FIELDS: readonly UserField[] = [
  { name: 'id', type: TEXT, description: 'Of no other profile.' },
  written('email', TEXT, 'Of no other profile.'),
  written('phone_number', TEXT, 'E.164.'),
  written('external_id', TEXT, 'Of no other profile.'),
  written('first_name', TEXT),
  written('last_name', TEXT),
  written('organization', TEXT),
  written('locale', TEXT, 'Such as en-US.'),
  written('title', TEXT),
  written('image', TEXT, 'URL of an image.'),
  written('location', LOCATION),
  {
    ...written('properties', { kind: 'map', elementType: ANY_JSON }, 'What the account has added.'),
    readOptional: true,
  },
  read('created', DATETIME),
  read('updated', DATETIME),
  read('last_event_date', DATETIME),
];

/** The JSON of a property of a profile; undefined: it has none. */
export const klaviyoValue = (profile: JsonObject, name: string): Json | undefined =>
  name === 'id' ? profile.get('id') : readOptionalObject(profile, 'attributes')?.get(name);
