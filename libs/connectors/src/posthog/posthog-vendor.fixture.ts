import { type Answer, answer } from '../http-stub.fixture';
import { plain } from '../vendor-tests.fixture';

export interface PosthogEvent {
  readonly event: string;
  readonly properties: Record<string, unknown>;
  readonly timestamp: string;
  readonly uuid: string;
}

const MAX_BODY_BYTES = 20_000_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const isGood = ({ event, properties, timestamp, uuid }: PosthogEvent): boolean =>
  event !== '' &&
  properties['distinct_id'] !== '' &&
  UUID.test(uuid) &&
  !Number.isNaN(Date.parse(timestamp));

/**
 * Refuses wrong keys, drops bad events in silence, takes repeated ones once.
 *
 * Source: PostHog Docs, "Capture and batch API endpoints", as of November 2026; the API has no version.
 */
export class PosthogVendor {
  /** By UUID. */
  readonly taken = new Map<string, PosthogEvent>();

  constructor(private readonly apiKey: string) {}

  readonly answer: Answer = (response, request) => {
    const reply = (status: number, body: string) => {
      answer(status, body)(response, request);
    };
    if (request.method !== 'POST' || request.url !== '/batch/') return reply(404, 'not found');
    if (request.headers['content-type'] !== 'application/json') return reply(400, 'no JSON');
    if (Buffer.byteLength(request.body) > MAX_BODY_BYTES) return reply(413, 'too large');
    const { api_key, batch } = plain(request.body);
    if (api_key !== this.apiKey) return reply(401, 'API key is not valid');
    const events = batch as readonly PosthogEvent[];
    if (events.length === 0) return reply(400, 'request holds no event');
    for (const event of events.filter(isGood)) this.taken.set(event.uuid, event);
    reply(200, '{"status":"Ok"}');
  };
}
