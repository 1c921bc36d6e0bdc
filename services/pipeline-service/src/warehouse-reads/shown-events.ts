import type { JsonString } from '@penstock/contracts';
import { isJsonObject, type Json, type Schema, valueToJson, writeJson } from '@penstock/schema';
import type { EventPlace, EventsPage, StoredEvent } from '@penstock/warehouses';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';

const textOf = ({ event, profile }: StoredEvent, properties: Schema): JsonString => {
  const members = valueToJson(properties, event);
  if (profile === null || !isJsonObject(members)) return writeJson(members);
  return writeJson(new Map<string, Json>([...members, ['profileId', profile]]));
};

/** As many events as fit into an answer, and where the list goes on when others follow. */
export const shownEvents = (
  { events, next }: EventsPage,
  properties: Schema,
): { readonly events: readonly JsonString[]; readonly next: EventPlace | undefined } => {
  const texts = events.map((event) => ({ place: event.place, text: textOf(event, properties) }));
  const { items, rest } = fitting(texts, ({ text }) => text, MAX_SEALED_BYTES);
  return {
    events: items.map(({ text }) => text),
    next: rest === undefined ? next : items.at(-1)?.place,
  };
};
