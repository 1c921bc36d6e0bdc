import type { EventType } from '../connector/event-destination';
import { allAre, ANY_JSON, eventSchema, TEXT } from '../event-types/event-schema';

const PROPERTIES = {
  name: 'properties',
  type: ANY_JSON,
  prefilled: 'properties',
  description: 'Properties of the event: an object.',
};

/** PostHog's own properties begin with `$`, which names of properties cannot: they stand here without it. */
export const POSTHOG_EVENT_TYPES: readonly EventType[] = [
  {
    id: 'capture',
    name: 'Capture',
    description: 'Captures an event under its name.',
    defaultFilter: allAre({ type: 'track' }),
    schema: eventSchema(
      { name: 'event', type: TEXT, prefilled: 'event', createRequired: true },
      PROPERTIES,
    ),
  },
  {
    id: 'pageview',
    name: 'Page view',
    description: 'Captures $pageview.',
    defaultFilter: allAre({ type: 'page' }),
    schema: eventSchema(
      { name: 'current_url', type: TEXT, prefilled: 'context.page.url' },
      { name: 'referrer', type: TEXT, prefilled: 'context.page.referrer' },
      { name: 'title', type: TEXT, prefilled: 'context.page.title' },
      PROPERTIES,
    ),
  },
  {
    id: 'screen',
    name: 'Screen view',
    description: 'Captures $screen.',
    defaultFilter: allAre({ type: 'screen' }),
    schema: eventSchema({ name: 'screen_name', type: TEXT, prefilled: 'name' }, PROPERTIES),
  },
  {
    id: 'identify',
    name: 'Identify',
    description: 'Sets properties of a person, and joins the anonymous one to it.',
    defaultFilter: allAre({ type: 'identify' }),
    schema: eventSchema(
      { name: 'set', type: ANY_JSON, prefilled: 'traits', description: 'Set on the person.' },
      { name: 'set_once', type: ANY_JSON, description: 'Set unless the person has it.' },
    ),
  },
  {
    id: 'alias',
    name: 'Alias',
    description: 'Gives a person another ID.',
    defaultFilter: allAre({ type: 'alias' }),
    schema: eventSchema({
      name: 'alias',
      type: TEXT,
      prefilled: 'previousId',
      createRequired: true,
    }),
  },
  {
    id: 'group',
    name: 'Group',
    description: 'Sets properties of a group.',
    defaultFilter: allAre({ type: 'group' }),
    schema: eventSchema(
      {
        name: 'groupType',
        type: TEXT,
        createRequired: true,
        description: 'Such as company or project.',
      },
      { name: 'groupKey', type: TEXT, prefilled: 'groupId', createRequired: true },
      { name: 'set', type: ANY_JSON, prefilled: 'traits', description: 'Set on the group.' },
    ),
  },
];
