import type { Settings } from '../connector/connector';
import {
  type EventDestination,
  EventRefused,
  type Outcome,
  type OutgoingEvent,
} from '../connector/event-destination';
import type { IncomingResponse } from '../connector/guarded-http';
import { printDraft, type Draft } from './draft';
import { sendDraft, type Sending } from './send-draft';

/** One request, made and not yet sent. */
export interface EventRequest {
  readonly draft: Draft;
  /** Events from the front that it carries, 1 or more. */
  readonly taken: number;
  readonly sending: Sending;
  /**
   * The outcome of each event, where a response holds more than its status; absent: the status decides for all.
   *
   * @param outcome by the status.
   */
  readonly outcomes?: (answer: IncomingResponse, outcome: Outcome) => readonly Outcome[];
}

export interface RequestDestination extends Pick<EventDestination, 'eventTypes' | 'limits'> {
  /**
   * The request for as many events as it takes from the front. Pure: it is what is sent, and what is shown.
   *
   * @throws EventRefused when the first event can never be sent; a later one that cannot ends the request before it.
   */
  request(events: readonly OutgoingEvent[], settings: Settings): EventRequest;
}

/** A destination that sends each request as it was made. */
export const requestDestination = ({
  eventTypes,
  limits,
  request,
}: RequestDestination): EventDestination => ({
  eventTypes,
  limits,
  send: async (events, settings, context) => {
    const made = madeOrRefused(() => request(events, settings));
    if ('kind' in made) return [made];
    const { answer, outcome } = await sendDraft(made.draft, made.sending, context);
    const read = answer && made.outcomes?.(answer, outcome);
    return read ?? events.slice(0, made.taken).map(() => outcome);
  },
  preview: (event, settings) => printDraft(request([event], settings).draft),
});

const madeOrRefused = (make: () => EventRequest): EventRequest | Outcome => {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof EventRefused)) throw error;
    return { kind: 'rejected', reason: error.message };
  }
};
