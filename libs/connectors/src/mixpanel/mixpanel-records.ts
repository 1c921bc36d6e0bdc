import { JsonNumber, type JsonObject, writeJson } from '@penstock/schema';
import { readOptionalText } from '@penstock/settings';
import { EventRefused, type OutgoingEvent } from '../connector/event-destination';
import { entryOf } from '../requests/entry-of';
import { identityOf } from '../requests/event-identity';
import { jsonMembers } from '../requests/json-members';
import { keyUuid } from '../requests/key-uuid';
import { objectIn, valuesJson } from '../requests/values-json';

interface Imported {
  readonly name: string;
  /** Properties beside the given ones. */
  readonly own: JsonObject;
}

const IMPORTS: Readonly<Record<string, (values: JsonObject) => Imported>> = {
  track: (values) => ({ name: readOptionalText(values, 'event') ?? '', own: new Map() }),
  page_view: (values) => ({
    name: 'Page View',
    own: jsonMembers({
      name: values.get('name'),
      $current_url: values.get('current_url'),
      $referrer: values.get('referrer'),
    }),
  }),
  screen_view: (values) => ({
    name: 'Screen View',
    own: jsonMembers({ name: values.get('name') }),
  }),
};

/** JSON text of one element of an import. */
export const mixpanelEvent = (outgoing: OutgoingEvent): string => {
  const make = entryOf(IMPORTS, outgoing.eventType);
  const values = valuesJson(outgoing);
  const { name, own } = make(values);
  const { anonymousId, userId, distinctId, timeMs } = identityOf(outgoing);
  const identity = jsonMembers({
    distinct_id: distinctId,
    time: new JsonNumber(String(timeMs)),
    $insert_id: keyUuid(outgoing.idempotencyKey),
    $device_id: anonymousId,
    $user_id: userId,
  });
  const properties = new Map([...(objectIn(values, 'properties') ?? []), ...own, ...identity]);
  return writeJson(jsonMembers({ event: name, properties }));
};

/** JSON text of one update of a profile. */
export const mixpanelProfile = (outgoing: OutgoingEvent, token: string): string => {
  const set = objectIn(valuesJson(outgoing), 'set');
  if (set === undefined) throw new EventRefused('set must be a JSON object');
  const { distinctId } = identityOf(outgoing);
  return writeJson(jsonMembers({ $token: token, $distinct_id: distinctId, $set: set }));
};
