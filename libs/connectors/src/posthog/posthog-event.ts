import { type JsonObject, writeJson } from '@penstock/schema';
import { readOptionalText } from '@penstock/settings';
import { EventRefused, type OutgoingEvent } from '../connector/event-destination';
import { entryOf } from '../requests/entry-of';
import { type EventIdentity, identityOf } from '../requests/event-identity';
import { jsonMembers } from '../requests/json-members';
import { keyUuid } from '../requests/key-uuid';
import { objectIn, valuesJson } from '../requests/values-json';

/** Source: PostHog Docs, "Ingestion warnings". */
const MAX_EVENT_BYTES = 1_000_000;

interface Captured {
  readonly name: string;
  readonly properties: JsonObject;
}

type Capture = (values: JsonObject, identity: EventIdentity) => Captured;

const NONE: JsonObject = new Map();

const capture: Capture = (values) => {
  const name = readOptionalText(values, 'event') ?? '';
  if (name === '') throw new EventRefused('PostHog drops events without a name');
  return { name, properties: objectIn(values, 'properties') ?? NONE };
};

/** An event of PostHog's own, with values under its own names beside the given properties. */
const named =
  (name: string, own: Readonly<Record<string, string>>): Capture =>
  (values) => ({
    name,
    properties: new Map([
      ...(objectIn(values, 'properties') ?? NONE),
      ...jsonMembers(
        Object.fromEntries(Object.entries(own).map(([to, from]) => [to, values.get(from)])),
      ),
    ]),
  });

const identify: Capture = (values, { anonymousId, userId }) => ({
  name: '$identify',
  properties: jsonMembers({
    $set: objectIn(values, 'set'),
    $set_once: objectIn(values, 'set_once'),
    $anon_distinct_id: userId === undefined ? undefined : anonymousId,
  }),
});

const group: Capture = (values) => ({
  name: '$groupidentify',
  properties: jsonMembers({
    $group_type: values.get('groupType'),
    $group_key: values.get('groupKey'),
    $group_set: objectIn(values, 'set'),
  }),
});

const CAPTURES: Readonly<Record<string, Capture>> = {
  capture,
  pageview: named('$pageview', {
    $current_url: 'current_url',
    $referrer: 'referrer',
    $title: 'title',
  }),
  screen: named('$screen', { $screen_name: 'screen_name' }),
  identify,
  alias: named('$create_alias', { alias: 'alias' }),
  group,
};

/** JSON text of one element of a batch. */
export const posthogEvent = (outgoing: OutgoingEvent): string => {
  const make = entryOf(CAPTURES, outgoing.eventType);
  const identity = identityOf(outgoing);
  const { name, properties } = make(valuesJson(outgoing), identity);
  const text = writeJson(
    jsonMembers({
      event: name,
      properties: new Map([
        ...placeOf(identity),
        ...properties,
        ...jsonMembers({ distinct_id: identity.distinctId }),
      ]),
      timestamp: identity.timestamp,
      uuid: keyUuid(outgoing.idempotencyKey),
    }),
  );
  if (Buffer.byteLength(text) > MAX_EVENT_BYTES)
    throw new EventRefused('PostHog drops events of more than 1 MB');
  return text;
};

/** Without it PostHog would place the person where this service runs. */
const placeOf = ({ ip }: EventIdentity): JsonObject =>
  jsonMembers(ip === undefined ? { $geoip_disable: true } : { $ip: ip });
