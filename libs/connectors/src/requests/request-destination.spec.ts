import { EventRefused } from '../connector/event-destination';
import { GuardedHttp, NoAnswer, type OutgoingRequest } from '../connector/guarded-http';
import { aContext, anOutgoingEvent } from '../outgoing-event.fixture';
import { requestDestination } from './request-destination';

/** Somebody else's server, that answers everything with 200. */
class Taking extends GuardedHttp {
  readonly bodies: (string | undefined)[] = [];

  override request({ body }: OutgoingRequest) {
    this.bodies.push(body);
    return Promise.resolve({ status: 200, headers: {}, body: '' });
  }

  override download(): Promise<never> {
    return Promise.reject(new NoAnswer('no way out'));
  }

  override upload(): Promise<never> {
    return Promise.reject(new NoAnswer('no way out'));
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Takes two events a request, and no event with the number 13. */
const destination = requestDestination({
  eventTypes: () => [],
  limits: () => ({ maxEvents: 2, concurrency: 1 }),
  request: (events) => {
    const ids = events.slice(0, 2).map(({ event }) => event['messageId'] as string);
    if (ids[0] === 'message-13') throw new EventRefused('is unlucky');
    const body = ids.filter((id) => id !== 'message-13').join();
    return {
      draft: { method: 'POST', url: 'https://example.com/in', headers: [], body },
      taken: body.split(',').length,
      sending: { timeoutMs: 1_000, secrets: [] },
    };
  },
});
const event = (n: number) => anOutgoingEvent(n, { eventType: 'any' });
const send = (http: GuardedHttp, ...numbers: number[]) =>
  destination.send(numbers.map(event), new Map(), aContext(http));

it('sends what it was made of the events in front, and answers for those', async () => {
  const http = new Taking();
  expect(await send(http, 1, 2, 3)).toMatchObject([{ kind: 'delivered' }, { kind: 'delivered' }]);
  expect(await send(http, 3, 13)).toMatchObject([{ kind: 'delivered' }]);
  expect(http.bodies).toEqual(['message-1,message-2', 'message-3']);
});

it('rejects an event that can never be sent, without a request', async () => {
  const http = new Taking();
  expect(await send(http, 13, 1)).toEqual([{ kind: 'rejected', reason: 'is unlucky' }]);
  expect(http.bodies).toEqual([]);
});

it('shows what it would send, or why it would not', () => {
  expect(destination.preview(event(1), new Map())).toMatch(
    /^POST https:\/\/example\.com\/in\n(.+\n)+\nmessage-1$/,
  );
  expect(() => destination.preview(event(13), new Map())).toThrow(new EventRefused('is unlucky'));
});
