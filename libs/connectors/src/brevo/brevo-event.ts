import { writeJson } from '@penstock/schema';
import { readOptionalText } from '@penstock/settings';
import { EventRefused, type OutgoingEvent } from '../connector/event-destination';
import { identityOf } from '../requests/event-identity';
import { identifiersIn } from '../requests/identifiers';
import { jsonMembers } from '../requests/json-members';
import { objectIn, valuesJson } from '../requests/values-json';

const EVENT_NAME = /^[A-Za-z0-9_-]{1,255}$/;

/** Body of a request that creates an event. */
export const brevoEvent = (outgoing: OutgoingEvent): string => {
  const values = valuesJson(outgoing);
  const name = readOptionalText(values, 'event_name') ?? '';
  if (!EVENT_NAME.test(name))
    throw new EventRefused('event_name must be 1 to 255 letters, digits, _ or -');
  return writeJson(
    jsonMembers({
      event_name: name,
      event_date: identityOf(outgoing).timestamp,
      identifiers: identifiersIn(values, 'identifiers', ['email_id', 'phone_id', 'ext_id']),
      contact_properties: objectIn(values, 'contact_properties'),
      event_properties: objectIn(values, 'event_properties'),
    }),
  );
};
