import { JsonNumber, type JsonObject, writeJson } from '@penstock/schema';
import { readOptionalText } from '@penstock/settings';
import { EventRefused, type OutgoingEvent } from '../connector/event-destination';
import { entryOf } from '../requests/entry-of';
import { type EventIdentity, identityOf } from '../requests/event-identity';
import { jsonMembers } from '../requests/json-members';
import { objectIn, valuesJson } from '../requests/values-json';
import type { Part } from '../requests/vendor-destination';
import { GOOGLE_ANALYTICS_EVENT_TYPES } from './google-analytics-event-types';
import { checkEvent } from './google-analytics-rules';

/** Of one event; more would not fit into a request. */
const MAX_EVENT_BYTES = 120_000;

/** One event of a request, and who it is of: a request is of one client only. */
export const googleAnalyticsPart = (outgoing: OutgoingEvent, nowMs: number): Part => {
  const identity = identityOf(outgoing);
  const { name, params } = entryOf(MEASURES, outgoing.eventType)(valuesJson(outgoing));
  checkEvent({ name, params, timeMs: identity.timeMs }, nowMs);
  const text = writeJson(
    jsonMembers({
      name,
      params: new Map([...sessionOf(identity), ...params]),
      timestamp_micros: micros(identity),
    }),
  );
  if (Buffer.byteLength(text) > MAX_EVENT_BYTES)
    throw new EventRefused('the event is too large for a request');
  const { anonymousId, userId } = identity;
  return { text, common: writeJson(jsonMembers({ client_id: anonymousId, user_id: userId })) };
};

/** Microseconds since 1970. */
export const micros = ({ timeMs }: EventIdentity): JsonNumber =>
  new JsonNumber(`${String(timeMs)}000`);

type Measure = (values: JsonObject) => { readonly name: string; readonly params: JsonObject };

/** Every event type but `custom` is an event of the vendor's, under its name. */
const MEASURES: Readonly<Record<string, Measure>> = {
  ...Object.fromEntries(
    GOOGLE_ANALYTICS_EVENT_TYPES.map(({ id }) => [id, (params) => ({ name: id, params })]),
  ),
  custom: (values) => ({
    name: readOptionalText(values, 'name') ?? '',
    params: objectIn(values, 'params') ?? new Map(),
  }),
};

/** Without these the vendor counts no user as active; parameters of the event come before them. */
const sessionOf = ({ sessionId }: EventIdentity): JsonObject =>
  jsonMembers({
    session_id: sessionId === undefined ? undefined : String(sessionId),
    engagement_time_msec: new JsonNumber('1'),
  });
