import { type Answer, answer, type ReceivedRequest } from '../http-stub.fixture';
import { plain } from '../vendor-tests.fixture';

type Reply = readonly [status: number, code: string];

/**
 * Takes single events, and knows no duplicates.
 *
 * Source: Brevo Developers, "Create an event", version 3 of the API, as of November 2026.
 */
export class BrevoVendor {
  readonly taken: Record<string, unknown>[] = [];

  constructor(private readonly key: string) {}

  readonly answer: Answer = (response, request) => {
    const [status, code] = this.reply(request);
    const body = status === 204 ? '' : JSON.stringify({ code, message: code });
    answer(status, body)(response, request);
  };

  private reply({ method, url, headers, body }: ReceivedRequest): Reply {
    if (headers['api-key'] !== this.key) return [401, 'unauthorized'];
    if (method !== 'POST' || url !== '/v3/events') return [404, 'document_not_found'];
    const event = plain(body);
    const { event_name: name, identifiers, event_date: date } = event;
    if (!/^[A-Za-z0-9_-]{1,255}$/.test(String(name))) return [400, 'invalid_parameter'];
    if (Object.keys(identifiers ?? {}).length === 0) return [400, 'missing_parameter'];
    if (Number.isNaN(Date.parse(String(date)))) return [400, 'invalid_parameter'];
    this.taken.push(event);
    return [204, ''];
  }
}
