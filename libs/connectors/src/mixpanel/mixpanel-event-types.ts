import type { EventType } from '../connector/event-destination';
import { allAre, ANY_JSON, eventSchema, TEXT } from '../event-types/event-schema';

const NAME = { name: 'name', type: TEXT, prefilled: 'name' };
const PROPERTIES = {
  name: 'properties',
  type: ANY_JSON,
  prefilled: 'properties',
  description: 'Properties of the event: an object.',
};

export const MIXPANEL_EVENT_TYPES: readonly EventType[] = [
  {
    id: 'track',
    name: 'Track',
    description: 'Imports an event under its name.',
    defaultFilter: allAre({ type: 'track' }),
    schema: eventSchema(
      { name: 'event', type: TEXT, prefilled: 'event', createRequired: true },
      PROPERTIES,
    ),
  },
  {
    id: 'page_view',
    name: 'Page view',
    description: 'Imports an event named Page View.',
    defaultFilter: allAre({ type: 'page' }),
    schema: eventSchema(
      NAME,
      { name: 'current_url', type: TEXT, prefilled: 'context.page.url' },
      { name: 'referrer', type: TEXT, prefilled: 'context.page.referrer' },
      PROPERTIES,
    ),
  },
  {
    id: 'screen_view',
    name: 'Screen view',
    description: 'Imports an event named Screen View.',
    defaultFilter: allAre({ type: 'screen' }),
    schema: eventSchema(NAME, PROPERTIES),
  },
  {
    id: 'set_profile',
    name: 'Set profile',
    description: "Sets properties of the user's profile.",
    defaultFilter: allAre({ type: 'identify' }),
    schema: eventSchema({
      name: 'set',
      type: ANY_JSON,
      prefilled: 'traits',
      createRequired: true,
      description: 'Properties of the profile: an object.',
    }),
  },
];
