import { EVENT_SCHEMA } from '@penstock/contracts';
import { compileFilter, parseFilter } from '@penstock/filters';
import { checkRoleFlags, checkValue, isJsonObject, parseJson, type Schema } from '@penstock/schema';
import { compileMapping } from '@penstock/transformations';
import { Pool } from 'pg';
import type { Settings } from '../connector/connector';
import type { EventDestination, EventType } from '../connector/event-destination';
import { createConnectors } from '../connectors';
import { DummyStore } from '../dummy/dummy-store';
import { aReceivedEvent, prefilledEvent, prefilledIn } from '../prefilled-event.fixture';

/** Settings of each connector that takes events: a new one needs a row. */
const SETTINGS: Readonly<Record<string, object>> = {
  http: { url: 'https://example.com' },
  posthog: { apiKey: 'secret-key', cloud: { projectRegion: 'EU' } },
  mixpanel: { projectID: '1', projectToken: 'secret-key' },
  'google-analytics': { measurementID: 'G-1', apiSecret: 'secret-key' },
  klaviyo: { privateAPIKey: `pk_${'secret-key'.repeat(4)}` },
  brevo: { apiKey: 'secret-key' },
  dummy: {},
};

/** For what is required and has no expression. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  groupType: '"company"',
  items: 'json_parse("[{\\"item_id\\":\\"i\\"}]")',
  properties: 'properties',
  search_term: '"shoes"',
  transaction_id: 'properties.order_id',
};

interface Case {
  readonly destination: EventDestination;
  readonly settings: Settings;
  readonly eventType: EventType;
}

const connectors = createConnectors({ dummyStore: new DummyStore(new Pool()) });
const CASES = connectors.list.flatMap(({ code, eventDestination: destination, checkSettings }) => {
  if (destination === undefined) return [];
  const plain = parseJson(JSON.stringify(SETTINGS[code]));
  const settings = checkSettings(plain, 'Destination');
  return destination
    .eventTypes(settings)
    .map((eventType): [string, Case] => [
      `${code} ${eventType.id}`,
      { destination, settings, eventType },
    ]);
});

/** An event that the default filter lets through. */
const eventFor = ({ defaultFilter }: EventType) => {
  const conditions = isJsonObject(defaultFilter) ? defaultFilter.get('conditions') : [];
  const pairs = (conditions as readonly ReadonlyMap<string, unknown>[]).map((condition) => [
    condition.get('property'),
    (condition.get('values') as readonly unknown[])[0],
  ]);
  return aReceivedEvent(Object.fromEntries(pairs) as object);
};

const missingIn = (schema: Schema): Record<string, string> =>
  Object.fromEntries(
    schema.properties
      .filter(({ createRequired, prefilled }) => createRequired && prefilled === '')
      .map(({ name }) => [name, EXPRESSIONS[name] ?? '']),
  );

it('has settings for each connector that takes events', () => {
  const codes = connectors.list
    .filter(({ eventDestination }) => eventDestination !== undefined)
    .map(({ code }) => code);
  expect(codes).toEqual(Object.keys(SETTINGS));
});

const PROPOSED = CASES.flatMap(
  ([
    name,
    {
      eventType: { schema },
    },
  ]) =>
    schema === null
      ? []
      : prefilledIn(schema).map((each): [string, [string, string], Schema] => [name, each, schema]),
);

it.each(PROPOSED)(
  '%s proposes %j, which reads the event schema and converts',
  (_, rule, schema) => {
    const { outPaths } = compileMapping(new Map([rule]), EVENT_SCHEMA, schema);
    expect(outPaths).toEqual([rule[0]]);
  },
);

it.each(CASES.filter(([, { eventType }]) => eventType.defaultFilter !== null))(
  '%s proposes a filter that lets its own events through, and no others',
  (_, { eventType }) => {
    const filter = parseFilter(eventType.defaultFilter, EVENT_SCHEMA, 'DestinationEvent');
    const { matches } = compileFilter(filter, EVENT_SCHEMA);
    const own = eventFor(eventType);
    expect(matches(own)).toBe(true);
    expect(matches(aReceivedEvent({ type: own['type'] === 'alias' ? 'track' : 'alias' }))).toBe(
      false,
    );
  },
);

it.each(CASES)('%s has the flags that an outSchema may have', (_, { eventType: { schema } }) => {
  const issues = schema === null ? [] : checkRoleFlags(schema, { role: 'eventDestination' });
  expect(issues.filter(({ path }) => !path.endsWith('/prefilled'))).toEqual([]);
});

it.each(CASES)(
  '%s makes a request of what the proposed mapping gives',
  (_, { destination, settings, eventType }) => {
    const required = eventType.schema === null ? {} : missingIn(eventType.schema);
    const outgoing = prefilledEvent(eventType, eventFor(eventType), required);
    const { values, outSchema } = outgoing;
    const issues = outSchema === null ? undefined : checkValue(outSchema, values);
    expect(issues).toBeUndefined();
    const preview = destination.preview(outgoing, settings);
    expect(preview).toMatch(/^POST /);
    expect(preview).not.toContain('secret-key');
  },
);
