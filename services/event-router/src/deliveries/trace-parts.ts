import {
  instant,
  type OtherEvent,
  type TracedDuplicate,
  type TracedEvent,
  type TracedPipeline,
  type TraceKept,
} from '@penstock/contracts';
import { eventPlaceId } from '../tracing/event-place';
import type { FoundEvent } from '../tracing/locate-event';
import type { LaterEvent } from '../tracing/trace-reads';
import type { TracedFrom } from './traced-pipeline';

/** The event of a trace; its message id is the one that was asked for. */
export const eventView = (
  found: FoundEvent,
  { records, isSuppressed, shown }: TracedFrom,
): Omit<TracedEvent, 'messageId'> => {
  const { incoming } = found;
  const place = eventPlaceId(found);
  if (incoming === undefined)
    return {
      place,
      form: 'Gone',
      reason: '',
      connection: null,
      acceptedAt: null,
      acceptedBy: null,
      event: null,
      isSuppressed,
    };
  const { head, record, event, eventText, fault } = incoming;
  return {
    place,
    form: event === undefined ? 'Unreadable' : 'Readable',
    reason: records.progress.unreadable ?? fault,
    connection: head.source,
    acceptedAt: instant(new Date(record.timestampMs)),
    acceptedBy: head.acceptedBy ?? null,
    event: event === undefined ? null : shown.json(eventText),
    isSuppressed,
  };
};

export const duplicateView = ({ differs, atMs, ...place }: LaterEvent): TracedDuplicate => ({
  place: eventPlaceId(place),
  at: instant(new Date(atMs)),
  isDifferent: differs,
});

/** Other events with the id that are on the log. */
export const otherViews = (found: readonly FoundEvent[]): readonly OtherEvent[] =>
  found.flatMap(({ incoming, ...place }) =>
    incoming === undefined
      ? []
      : [
          {
            place: eventPlaceId(place),
            connection: incoming.head.source,
            acceptedAt: instant(new Date(incoming.record.timestampMs)),
          },
        ],
  );

/** What is not known any more, in sentences for people. */
export const unknownOf = (
  { form }: Pick<TracedEvent, 'form'>,
  pipelines: readonly TracedPipeline[],
  isWithoutId: boolean,
  { records, isRecorded }: TracedFrom,
  { eventDays, messageIdHours, outcomeDays }: TraceKept,
): readonly string[] => {
  const unknown: string[] = [];
  if (form === 'Gone')
    unknown.push(
      `The event is not on the log any more, which keeps events for ${eventDays} days: only recorded endings are shown.`,
    );
  if (isWithoutId)
    unknown.push(
      `Its message id is not kept any more: ids are kept for ${messageIdHours} hours. Whether it has duplicates, or is one, is unknown.`,
    );
  const isEndingUnknown = pipelines.some(({ state }) => state === 'Unknown');
  if (isEndingUnknown && records.trail.isCut)
    unknown.push('Too many deliveries have ended near this event to look through all of them.');
  else if (isEndingUnknown && !isRecorded)
    unknown.push(
      `How some deliveries ended is not known any more: endings are kept for ${outcomeDays} days, and those that an earlier version of the router has recorded cannot be found.`,
    );
  return unknown;
};
