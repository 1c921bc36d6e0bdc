import { type Answer, answer, type ReceivedRequest } from '../http-stub.fixture';

interface Resource {
  readonly data: { readonly type: string; readonly attributes: Record<string, unknown> };
}

type Attributes = Record<string, unknown>;
type Reply = readonly [status: number, detail: string];

const attributesOf = (resource: unknown, type: string): Attributes | undefined => {
  const { data } = (resource ?? {}) as Partial<Resource>;
  return data?.type === type ? data.attributes : undefined;
};

const hasIdentifier = (profile: Attributes | undefined): boolean =>
  ['email', 'phone_number', 'external_id'].some((name) => typeof profile?.[name] === 'string');

/**
 * Events and profiles: JSON:API with a revision, and with errors in its form.
 *
 * Source: Klaviyo Developers, "Create Event" and "Create or Update Profile", revision 2026-07-15.
 */
export class KlaviyoVendor {
  /** By their key for duplicates. */
  readonly events = new Map<string, Attributes>();
  readonly profiles: Attributes[] = [];

  constructor(private readonly key: string) {}

  readonly answer: Answer = (response, request) => {
    const [status, detail] = this.reply(request);
    const errors = [{ id: '1', code: 'invalid', title: 'Invalid input.', detail }];
    answer(status, status < 300 ? '' : JSON.stringify({ errors }))(response, request);
  };

  private reply({ method, url, headers, body }: ReceivedRequest): Reply {
    if (headers.authorization !== `Klaviyo-API-Key ${this.key}`) return [401, 'Incorrect key'];
    if (headers['revision'] !== '2026-07-15') return [400, 'Invalid revision'];
    if (headers['content-type'] !== 'application/vnd.api+json') return [415, 'Media type'];
    const json: unknown = JSON.parse(body);
    if (method === 'POST' && url === '/api/events') return this.event(attributesOf(json, 'event'));
    if (method === 'POST' && url === '/api/profile-import')
      return this.profile(attributesOf(json, 'profile'));
    return [404, 'Not found'];
  }

  private event(event: Attributes | undefined): Reply {
    const name = attributesOf(event?.['metric'], 'metric')?.['name'];
    if (event === undefined || typeof name !== 'string' || name === '' || name.length >= 128)
      return [400, 'metric name is required'];
    if (!hasIdentifier(attributesOf(event['profile'], 'profile')))
      return [400, 'a profile identifier is required'];
    if (typeof event['properties'] !== 'object') return [400, 'properties are required'];
    this.events.set(JSON.stringify([name, event['profile'], event['unique_id']]), event);
    return [202, ''];
  }

  private profile(profile: Attributes | undefined): Reply {
    if (profile === undefined || !hasIdentifier(profile))
      return [400, 'a profile identifier is required'];
    this.profiles.push(profile);
    return [201, ''];
  }
}
