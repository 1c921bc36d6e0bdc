import { type Json, type JsonObject, writeJson } from '@penstock/schema';
import type { OutgoingEvent } from '../connector/event-destination';
import { identityOf } from '../requests/event-identity';
import { identifiersIn } from '../requests/identifiers';
import { jsonMembers } from '../requests/json-members';
import { objectIn, valuesJson } from '../requests/values-json';

/** A resource of JSON:API. */
const resource = (type: string, attributes: JsonObject): Json =>
  jsonMembers({ data: jsonMembers({ type, attributes }) });

const profileIn = (values: JsonObject): JsonObject =>
  identifiersIn(values, 'profile', ['email', 'phone_number', 'external_id']);

/** Body of a request that creates an event. */
export const klaviyoEvent = (outgoing: OutgoingEvent): string => {
  const values = valuesJson(outgoing);
  const metric = jsonMembers({ name: values.get('metric') });
  return writeJson(
    resource(
      'event',
      jsonMembers({
        metric: resource('metric', metric),
        profile: resource('profile', profileIn(values)),
        properties: objectIn(values, 'properties') ?? new Map(),
        time: identityOf(outgoing).timestamp,
        value: values.get('value'),
        value_currency: values.get('value_currency'),
        unique_id: outgoing.idempotencyKey,
      }),
    ),
  );
};

/** Body of a request that creates or updates a profile. */
export const klaviyoProfile = (outgoing: OutgoingEvent): string => {
  const values = valuesJson(outgoing);
  const attributes = jsonMembers({
    first_name: values.get('first_name'),
    last_name: values.get('last_name'),
    properties: objectIn(values, 'properties'),
  });
  return writeJson(resource('profile', new Map([...profileIn(values), ...attributes])));
};
