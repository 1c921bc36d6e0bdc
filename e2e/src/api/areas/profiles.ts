import { until } from '../../harness/until';
import { withDatabase } from '../database';
import { expectRefused, malformed, NO_METHOD, NONE, type Refused, refused } from '../refusal';
import { refuses, type Table } from '../table';
import { bearer, type Json, World } from '../world';

const ID = 'c0ffee00-0000-4000-8000-00000000000';

const NO_PROFILE: Refused = {
  status: 404,
  code: 'ProfileNotExist',
  message: 'profile does not exist',
};

const schemaOf = async (world: World): Promise<string> => {
  const { settings } = await world.done('GET /v1/warehouse');
  return String((settings as Json)['Schema']);
};

/** Profiles 1 to `count` in the warehouse, and no others, each updated a second after the one before; 9 was merged into 1. */
const fill = async (world: World, count: number): Promise<void> => {
  const schema = await schemaOf(world);
  await withDatabase(world, async (client) => {
    await client.query(`TRUNCATE ${schema}._profiles, ${schema}._profile_aliases`);
    await client.query(
      `INSERT INTO ${schema}._profiles (_profile_id, _created_at, _updated_at, email)
       SELECT ('${ID}' || n)::uuid, '2026-03-01T09:00Z', '2026-03-01T09:30Z'::timestamptz + n * interval '1 second', 'u' || n
       FROM generate_series(1, $1::int) AS n`,
      [count],
    );
    await client.query(`INSERT INTO ${schema}._profile_aliases VALUES ('${ID}9', '${ID}1')`);
  });
};

const list = (world: World, query = ''): Promise<Json> => world.done(`GET /v1/profiles${query}`);

const numbers = (page: Json): number[] =>
  (page['profiles'] as Json[]).map(({ id }) => Number(String(id).at(-1)));

const filter = (property: string, operator: string, ...values: string[]): string =>
  `filter=${encodeURIComponent(
    JSON.stringify({ logical: 'and', conditions: [{ property, operator, values }] }),
  )}`;

const PROFILE = {
  id: `${ID}1`,
  createdAt: '2026-03-01T09:00:00.000000Z',
  updatedAt: '2026-03-01T09:30:01.000000Z',
  attributes: { email: 'u1' },
};

export const PROFILES: Table = {
  'Change schema: one after the other': async (world) => {
    const { properties } = await world.done('GET /v1/profiles/schema');
    const added: object[] = [];
    for (const name of ['first', 'second', 'third']) {
      added.push({ name, type: { kind: 'string' }, readOptional: true });
      const schema = { kind: 'object', properties: [...(properties as object[]), ...added] };
      expect(await world.done('PUT /v1/profiles/schema', { schema })).toEqual({
        affectedPipelines: [],
      });
    }
    await world.done('PUT /v1/profiles/schema', { schema: { kind: 'object', properties } });
  },
  'Get: a profile, its attributes, and the survivor of a merged id': async (world) => {
    await fill(world, 1);
    expect(await world.done(`GET /v1/profiles/${ID}1`)).toEqual(PROFILE);
    expect(await world.done(`GET /v1/profiles/${ID}9`)).toEqual({
      ...PROFILE,
      mergedFrom: `${ID}9`,
    });
    expect(await world.done(`GET /v1/profiles/${ID}9/attributes`)).toEqual({
      attributes: { email: 'u1' },
    });
    const part = await world.done(`GET /v1/profiles/${ID}1?properties=first_name`);
    expect(part).toEqual({ ...PROFILE, attributes: {} });
  },
  'profile does not exist': Object.fromEntries(
    ['', '/attributes', '/events', '/identities', '/links', '/history'].flatMap((part) =>
      [`${ID}8`, 'no'].map((id) => [
        `${id}${part}`,
        refuses(`GET /v1/profiles/${id}${part}`, NONE, NO_PROFILE),
      ]),
    ),
  ),
  'List: order, filter, count, in pages to an empty cursor': async (world) => {
    await fill(world, 5);
    const all = await list(world, '?limit=5&properties=email');
    expect(numbers(all)).toEqual([5, 4, 3, 2, 1]);
    expect(all).toMatchObject({
      schema: { kind: 'object', properties: [{ name: 'email' }] },
      total: null,
      cursor: '',
    });
    const query = `?order=email&orderDesc=true&count=true&limit=2&${filter('email', 'is not', 'u2')}`;
    const first = await list(world, query);
    expect([numbers(first), first['total']]).toEqual([[5, 4], 4]);
    const cursor = encodeURIComponent(String(first['cursor']));
    const second = await list(world, `${query}&cursor=${cursor}`);
    expect([numbers(second), second['cursor']]).toEqual([[3, 1], '']);
    expectRefused(
      await world.ask(`GET /v1/profiles?order=email&cursor=${cursor}`),
      malformed('/cursor'),
    );
  },
  'List: what it refuses': {
    'an unknown property': refuses('GET /v1/profiles?properties=x', NONE, malformed('/properties')),
    'an unknown property in a filter': async (world) => {
      const { status, text } = await world.ask(`GET /v1/profiles?${filter('x', 'is', 'a')}`);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({
        error: {
          message: 'filter is not valid',
          details: [{ path: '/filter/conditions/0/property' }],
        },
      });
    },
    'an unknown order': refuses(
      'GET /v1/profiles?order=x',
      NONE,
      refused('OrderNotExist', 'order does not exist'),
    ),
    'an order of events by JSON': refuses(
      'GET /v1/events?order=properties',
      NONE,
      refused('OrderTypeNotSortable', 'type of the order cannot be sorted'),
    ),
    'an unknown parameter': refuses('GET /v1/profiles?offset=1', NONE, malformed('/offset')),
    'another method': refuses('POST /v1/profiles', NONE, NO_METHOD),
  },
  'events: as they were sent, of the workspace and of a profile': async (world) => {
    await fill(world, 1);
    const source = await world.made('POST /v1/connections', {
      ...{ name: 'S', role: 'Source', connector: 'nodejs' },
    });
    await world.made('POST /v1/pipelines', {
      ...{ name: 'Events', connection: source, target: 'Event', enabled: true },
    });
    const keys = await world.done(`GET /v1/connections/${source}/event-write-keys`);
    const [writeKey] = keys['keys'] as string[];
    const sent = {
      ...{ type: 'track', event: 'Seen', userId: 'ada', anonymousId: 'a1', messageId: 'read-me' },
      ...{ timestamp: '2026-03-01T09:30:00.250Z', properties: { n: 1 } },
    };
    const headers = bearer(String(writeKey));
    const body = JSON.stringify(sent);
    expect((await world.ask('POST /v1/events', { headers, body })).status).toBe(200);
    const query = `?${filter('connectionId', 'is', source)}`;
    const read = async (): Promise<Json[]> =>
      (await world.done(`GET /v1/events${query}`))['events'] as Json[];
    await until('the event is there', async () => (await read()).length === 1);
    expect(await read()).toMatchObject([{ ...sent, connectionId: source, traits: {} }]);
    const inside = `?${filter('properties.n', 'is greater than', '0')}&properties=messageId`;
    expect(await world.done(`GET /v1/events${inside}`)).toEqual({
      events: [{ messageId: 'read-me' }],
      cursor: '',
    });
    const schema = await schemaOf(world);
    await withDatabase(world, (client) =>
      client.query(`UPDATE ${schema}._events SET profile_id = '${ID}1' WHERE connection_id = $1`, [
        source,
      ]),
    );
    expect(await world.done(`GET /v1/profiles/${ID}9/events?properties=event`)).toEqual({
      events: [{ event: 'Seen', profileId: `${ID}1` }],
      cursor: '',
    });
  },
  'links: by what its identities are joined': async (world) => {
    await fill(world, 1);
    const schema = await schemaOf(world);
    await withDatabase(world, async (client) => {
      await client.query(`TRUNCATE ${schema}._identities, ${schema}._identity_keys`);
      await client.query(
        `WITH made AS (
           INSERT INTO ${schema}._identities
             (_connection, _pipeline, _record_id, _anonymous, _updated_at, _profile_id)
           SELECT 'c', 'p' || n, 'ada', false, '2026-03-01T09:30Z', '${ID}1' FROM generate_series(1, 2) AS n
           RETURNING _id)
         INSERT INTO ${schema}._identity_keys (identity, kind, key, mask)
         SELECT _id, 'k', '=c ada', 0 FROM made`,
      );
    });
    const identities = ['p1', 'p2'].map((pipeline) => ({
      ...{ userId: 'ada', connection: 'c', pipeline },
    }));
    expect(await world.done(`GET /v1/profiles/${ID}9/links`)).toEqual({
      links: [{ rule: 'a', identifier: null, value: 'ada', identities, count: 2 }],
      cursor: '',
    });
  },
  'history: what has happened to a profile, and to one that is gone': async (world) => {
    await fill(world, 1);
    const schema = await schemaOf(world);
    await withDatabase(world, async (client) => {
      await client.query(`TRUNCATE ${schema}._profile_history`);
      await client.query(
        `INSERT INTO ${schema}._profile_history (profile_id, id, at, fact)
         SELECT profile::uuid, 1, '2026-03-01T09:30Z', jsonb_build_object('type', 'ProfilesMerged', 'survivor', $1::text,
           'absorbed', jsonb_build_array($2::text), 'joinedBy', '[{"rule": "d", "identifier": "email", "identities": ["1", "2"]}]'::jsonb)
         FROM unnest(ARRAY[$1, $2]) AS profile`,
        [`${ID}1`, `${ID}7`],
      );
    });
    const past = {
      ...{ type: 'ProfilesMerged', time: '2026-03-01T09:30:00.000000Z', reason: null },
      ...{ from: [`${ID}1`, `${ID}7`], to: [`${ID}1`] },
      joinedBy: [{ rule: 'd', identifier: 'email' }],
    };
    for (const id of [`${ID}1`, `${ID}7`])
      expect(await world.done(`GET /v1/profiles/${id}/history`)).toEqual({
        history: [past],
        cursor: '',
      });
  },
  'nothing of another workspace is in it': async (world) => {
    await fill(world, 2);
    const { installation, receiver, databaseUrl } = world;
    const other = await World.make({ installation, receiver, databaseUrl });
    expect(await list(other)).toMatchObject({ profiles: [], cursor: '' });
    expectRefused(await other.ask(`GET /v1/profiles/${ID}1`), NO_PROFILE);
    const { cursor } = await list(world, '?limit=1');
    const path = `GET /v1/profiles?cursor=${encodeURIComponent(String(cursor))}`;
    expectRefused(await other.ask(path), malformed('/cursor'));
    expect(numbers(await world.done(path))).toEqual([1]);
  },
};
