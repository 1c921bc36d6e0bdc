import { type Answer, answer, type ReceivedRequest } from '../http-stub.fixture';

type Attributes = Record<string, unknown>;

/** A profile as it is listed. */
export interface KlaviyoProfile {
  readonly type: 'profile';
  readonly id: string;
  readonly attributes: Attributes;
}

type Reply = readonly [status: number, body: unknown, meta?: object];

const WRITABLE = [
  ...['email', 'phone_number', 'external_id', 'first_name', 'last_name', 'organization', 'locale'],
  ...['title', 'image', 'location', 'properties', 'anonymous_id', '_kx'],
];
const READABLE = [...WRITABLE, 'created', 'updated', 'last_event_date'];
const IDENTIFIERS = ['email', 'phone_number', 'external_id'];
const LISTING = ['fields[profile]', 'filter', 'page[cursor]', 'page[size]', 'sort'];

const failed = (status: number, detail: string, meta = {}): Reply => [
  status,
  { errors: [{ id: '1', status, code: 'invalid', title: 'Invalid input.', detail, meta }] },
];

const timeAt = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString().replace('.000Z', '+00:00');

/** The n-th profile, from 1: changed n minutes after the beginning of the year. */
export const aKlaviyoProfile = (n: number, attributes: Attributes = {}): KlaviyoProfile => ({
  type: 'profile',
  id: `01GDDKASAP8TKDDA2GRZDSVP${String(n)}`,
  attributes: {
    email: `user-${String(n)}@example.com`,
    phone_number: n % 3 === 0 ? null : `+1555${String(n).padStart(7, '0')}`,
    external_id: `user-${String(n)}`,
    first_name: n % 7 === 0 ? null : 'Ada',
    last_name: null,
    organization: null,
    locale: 'en-US',
    title: null,
    image: null,
    created: timeAt(0),
    updated: timeAt(n),
    last_event_date: n % 2 === 0 ? timeAt(n) : null,
    location: { address1: null, city: 'Rome', latitude: '41.9', longitude: 12.5, zip: '00100' },
    properties: { plan: n % 2 === 0 ? 'gold' : 'free', visits: n },
    ...attributes,
  },
});

/**
 * The profiles of an account: listed by the time of their change, created and changed.
 *
 * Source: Klaviyo Developers, "Get Profiles", "Create Profile" and "Update Profile", revision 2026-07-15.
 */
export class KlaviyoProfilesVendor {
  private now = 1_000_000;

  constructor(
    private readonly key: string,
    readonly profiles: KlaviyoProfile[] = [],
  ) {}

  readonly answer: Answer = (response, request) => {
    const [status, body] = this.reply(request);
    const headers = { 'Content-Type': 'application/vnd.api+json' };
    answer(status, JSON.stringify(body), headers)(response, request);
  };

  private reply(request: ReceivedRequest): Reply {
    const { headers } = request;
    if (headers.authorization !== `Klaviyo-API-Key ${this.key}`) return failed(401, 'Bad key');
    if (headers['revision'] !== '2026-07-15') return failed(400, 'Invalid revision');
    const { pathname, searchParams } = new URL(request.url, 'https://a.klaviyo.com');
    const [, , resource, id, ...more] = pathname.split('/');
    if (resource !== 'profiles' || more.length > 0) return failed(404, 'Not found');
    if (request.method === 'GET' && id === undefined) return this.list(searchParams);
    if (headers['content-type'] !== 'application/vnd.api+json') return failed(415, 'Media type');
    if (request.method === 'POST' && id === undefined) return this.create(request.body);
    return request.method === 'PATCH' ? this.change(id ?? '', request.body) : failed(405, 'Method');
  }

  private list(query: URLSearchParams): Reply {
    const unknown = [...query.keys()].find((name) => !LISTING.includes(name));
    if (unknown !== undefined) return failed(400, `unknown parameter ${unknown}`);
    const size = Number(query.get('page[size]') ?? 20);
    const names = query.get('fields[profile]')?.split(',') ?? READABLE;
    const other = names.find((name) => !READABLE.includes(name));
    if (!(size >= 1 && size <= 100) || other !== undefined) return failed(400, 'Invalid query');
    const found = this.found(query.get('filter'));
    if (found === undefined) return failed(400, 'Invalid filter');
    if (query.get('sort') === 'updated') found.sort((a, b) => placeOf(a).localeCompare(placeOf(b)));
    const cursor = Buffer.from(query.get('page[cursor]') ?? '', 'base64url').toString();
    const rest = found.filter((profile) => cursor === '' || placeOf(profile) > cursor);
    const page = rest.slice(0, size);
    const last = rest.length > size ? page.at(-1) : undefined;
    return [
      200,
      { data: page.map(partOf(names)), links: { self: '', next: linkAfter(last), prev: null } },
    ];
  }

  private found(filter: string | null): KlaviyoProfile[] | undefined {
    if (filter === null) return [...this.profiles];
    const [, since] = /^greater-than\(updated,(.+)\)$/.exec(filter) ?? [];
    if (since !== undefined)
      return this.profiles.filter(
        ({ attributes }) => Date.parse(String(attributes['updated'])) > Date.parse(since),
      );
    const [, name = '', list = ''] = /^any\((\w+),(\[.*\])\)$/.exec(filter) ?? [];
    if (name !== 'id' && !IDENTIFIERS.includes(name)) return undefined;
    const values = (JSON.parse(list) as string[]).map((value) => value.toLowerCase());
    return this.profiles.filter(({ id, attributes }) =>
      values.includes(String(name === 'id' ? id : attributes[name]).toLowerCase()),
    );
  }

  private create(body: string): Reply {
    const given = attributesIn(body, undefined);
    if (given === undefined) return failed(400, 'Invalid profile');
    if (!IDENTIFIERS.some((name) => given[name] !== undefined))
      return failed(400, 'One of email, phone_number or external_id is required');
    const same = this.sameAs(given);
    if (same !== undefined)
      return failed(409, 'A profile already exists with one of these identifiers.', {
        duplicate_profile_id: same.id,
      });
    const profile = aKlaviyoProfile((this.now += 1), {
      ...Object.fromEntries(WRITABLE.map((name) => [name, null])),
      properties: {},
      ...given,
    });
    this.profiles.push(profile);
    return [201, { data: profile }];
  }

  private change(id: string, body: string): Reply {
    const given = attributesIn(body, id);
    if (given === undefined) return failed(400, 'Invalid profile');
    const profile = this.profiles.find((each) => each.id === id);
    if (profile === undefined) return failed(404, `A profile with id ${id} does not exist.`);
    const same = this.sameAs(given);
    if (same !== undefined && same !== profile) return failed(409, 'A profile already exists.');
    const properties = {
      ...(profile.attributes['properties'] as object),
      ...(given['properties'] as object | undefined),
    };
    Object.assign(profile.attributes, given, { properties, updated: timeAt((this.now += 1)) });
    return [200, { data: profile }];
  }

  private sameAs(given: Attributes): KlaviyoProfile | undefined {
    return this.profiles.find(({ attributes }) =>
      IDENTIFIERS.some(
        (name) => (given[name] ?? null) !== null && attributes[name] === given[name],
      ),
    );
  }
}

/** Where a profile stands: by the time of its change, then by its id. */
const placeOf = ({ id, attributes }: KlaviyoProfile): string =>
  `${new Date(String(attributes['updated'])).toISOString()} ${id}`;

const linkAfter = (last: KlaviyoProfile | undefined): string | null =>
  last === undefined
    ? null
    : `https://a.klaviyo.com/api/profiles/?page%5Bcursor%5D=${Buffer.from(placeOf(last)).toString('base64url')}`;

const partOf =
  (names: readonly string[]) =>
  ({ type, id, attributes }: KlaviyoProfile): KlaviyoProfile => ({
    type,
    id,
    attributes: Object.fromEntries(
      Object.entries(attributes).filter(([name]) => names.includes(name)),
    ),
  });

/** The attributes of a body, unless one of its members is unknown. */
const attributesIn = (body: string, id: string | undefined): Attributes | undefined => {
  const { data, ...others } = JSON.parse(body) as {
    data: { type?: string; id?: string; attributes?: Attributes };
  };
  const { type, attributes = {}, ...more } = data;
  const known = id === undefined ? {} : { id };
  const isKnown = JSON.stringify([others, more]) === JSON.stringify([{}, known]);
  const areKnown = Object.keys(attributes).every((name) => WRITABLE.includes(name));
  return type === 'profile' && isKnown && areKnown ? attributes : undefined;
};
