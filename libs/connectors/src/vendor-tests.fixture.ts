import { parseJson } from '@penstock/schema';
import type { Connector, Settings } from './connector/connector';
import type { EventDestination, EventType, OutgoingEvent } from './connector/event-destination';
import { aReceivedEvent, prefilledEvent } from './prefilled-event.fixture';

/** Short ways to what specs of vendors need again and again. */
export interface VendorTests {
  readonly destination: EventDestination;
  settings(plain: object): Settings;
  /** The n-th event of an event type, by its prefilled mapping. */
  event(id: string, given?: Given, n?: number): OutgoingEvent;
}

interface Given {
  /** Members of the received event. */
  readonly event?: object;
  /** Expressions beside the prefilled ones. */
  readonly mapping?: Readonly<Record<string, string>>;
}

export const vendorTests = (connector: Connector): VendorTests => {
  const { eventDestination: destination } = connector;
  if (destination === undefined) throw new Error(`${connector.code} takes no events`);
  const eventType = (id: string): EventType => {
    const found = destination.eventTypes(new Map()).find((each) => each.id === id);
    if (found === undefined) throw new Error(`no event type ${id}`);
    return found;
  };
  return {
    destination,
    settings: (plain) => connector.checkSettings(parseJson(JSON.stringify(plain)), 'Destination'),
    event: (id, { event = {}, mapping = {} } = {}, n = 1) =>
      prefilledEvent(
        eventType(id),
        aReceivedEvent({ messageId: `message-${String(n)}`, ...event }),
        mapping,
        n,
      ),
  };
};

/** JSON that a vendor was sent. */
export const plain = (body: string): Record<string, unknown> =>
  JSON.parse(body) as Record<string, unknown>;
