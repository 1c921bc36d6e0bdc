import type { EventType } from '../connector/event-destination';
import { allAre, ANY_JSON, eventSchema, NUMBER, objectOf, TEXT } from '../event-types/event-schema';

const PROFILE = {
  name: 'profile',
  type: objectOf(
    { name: 'email', type: TEXT, prefilled: 'traits.email' },
    { name: 'phone_number', type: TEXT, description: 'E.164.' },
    { name: 'external_id', type: TEXT, prefilled: 'userId' },
  ),
  description: 'Whose it is: one of the members at least.',
};

export const KLAVIYO_EVENT_TYPES: readonly EventType[] = [
  {
    id: 'create_event',
    name: 'Create event',
    description: 'Creates an event of a metric.',
    defaultFilter: allAre({ type: 'track' }),
    schema: eventSchema(
      {
        name: 'metric',
        type: TEXT,
        prefilled: 'event',
        createRequired: true,
        description: 'Name of the metric.',
      },
      PROFILE,
      {
        name: 'properties',
        type: ANY_JSON,
        prefilled: 'properties',
        description: 'Properties of the event: an object.',
      },
      { name: 'value', type: NUMBER },
      { name: 'value_currency', type: TEXT, description: 'ISO 4217.' },
    ),
  },
  {
    id: 'update_profile',
    name: 'Update profile',
    description: 'Creates a profile, or updates it.',
    defaultFilter: allAre({ type: 'identify' }),
    schema: eventSchema(
      PROFILE,
      { name: 'first_name', type: TEXT },
      { name: 'last_name', type: TEXT },
      {
        name: 'properties',
        type: ANY_JSON,
        prefilled: 'traits',
        description: 'Properties of the profile: an object.',
      },
    ),
  },
];
