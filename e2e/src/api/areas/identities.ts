import { until } from '../../harness/until';
import { withDatabase } from '../database';
import {
  expectRefused,
  malformed,
  NO_CONNECTION,
  NO_METHOD,
  NONE,
  type Refused,
  refused,
} from '../refusal';
import { refuses, type Run, type Table } from '../table';
import { bearer, type Json, World } from '../world';

const CALL = 'GET /v1/connections/{source}/identities';

const UNAVAILABLE: Refused = {
  status: 503,
  code: 'ServiceUnavailable',
  message: /^service is unavailable: data warehouse: ./,
};

const list = (world: World, source: string, query = ''): Promise<Json> =>
  world.done(`GET /v1/connections/${source}/identities${query}`);

const listed = async (world: World, source: string, query = ''): Promise<Json[]> =>
  (await list(world, source, query))['identities'] as Json[];

const schemaOf = async (world: World): Promise<string> => {
  const { settings } = await world.done('GET /v1/warehouse');
  return String((settings as Json)['Schema']);
};

/** Identities `u<from>` to `u<to>` in the warehouse, as if a pipeline had written them, each updated a second after the one before. */
const add = async (world: World, source: string, from: number, to: number): Promise<void> => {
  const schema = await schemaOf(world);
  await withDatabase(world, (client) =>
    client.query(
      `INSERT INTO ${schema}._identities (_connection, _pipeline, _record_id, _anonymous, _updated_at)
       SELECT $1, $1, 'u' || n, false, '2026-03-01T09:30Z'::timestamptz + n * interval '1 second'
       FROM generate_series($2::int, $3::int) AS n`,
      [source, from, to],
    ),
  );
};

const aSource = (world: World): Promise<string> =>
  world.made('POST /v1/connections', { name: 'S', role: 'Source', connector: 'nodejs' });

const idsOf = (identities: readonly Json[]): unknown[] =>
  identities.map((identity) => identity['userId']);

/** Does something while the marker of the warehouse says something else. */
const marked = async (world: World, column: string, value: string, work: () => Promise<void>) => {
  const schema = await schemaOf(world);
  await withDatabase(world, async (client) => {
    await client.query(`CREATE TABLE ${schema}.kept AS SELECT * FROM ${schema}._meta`);
    await client.query(`UPDATE ${schema}._meta SET ${column} = '${value}'`);
    try {
      await work();
    } finally {
      await client.query(
        `UPDATE ${schema}._meta SET ${column} = kept.${column} FROM ${schema}.kept`,
      );
      await client.query(`DROP TABLE ${schema}.kept`);
    }
  });
};

const inMode = async (world: World, mode: string, work: () => Promise<void>): Promise<void> => {
  await world.done('PUT /v1/warehouse/mode', { mode });
  try {
    await work();
  } finally {
    await world.done('PUT /v1/warehouse/mode', { mode: 'Normal' });
  }
};

const fromEvents: Run = async (world) => {
  const source = await aSource(world);
  const pipeline = await world.made('POST /v1/pipelines', {
    ...{ name: 'Identities', connection: source, target: 'User', enabled: true },
  });
  const [writeKey] = (await world.done(`GET /v1/connections/${source}/event-write-keys`))[
    'keys'
  ] as string[];
  const send = async (body: object): Promise<void> => {
    const headers = bearer(String(writeKey));
    const sent = await world.ask('POST /v1/events', { headers, body: JSON.stringify(body) });
    expect(sent.status).toBe(200);
  };
  const event = { type: 'track', event: 'Seen' };
  await send({ ...event, anonymousId: 'a1', timestamp: '2026-03-01T09:30:00.000Z' });
  await send({ ...event, userId: 'ada', anonymousId: 'a1', timestamp: '2026-03-01T09:30:02.250Z' });
  await send({ ...event, userId: 'ada', anonymousId: 'a2', timestamp: '2026-03-01T09:30:01.000Z' });
  const both = async (): Promise<Json[]> => listed(world, source);
  await until('both ids are there', async () => JSON.stringify(await both()).includes('a2'));
  await until('the anonymous one is there', async () => (await both()).length === 2);
  const common = { connection: source, pipeline, profile: null };
  expect(await list(world, source)).toEqual({
    identities: [
      {
        ...{ userId: 'ada', anonymousIds: ['a2', 'a1'], ...common },
        updatedAt: '2026-03-01T09:30:02.250000Z',
      },
      { anonymousIds: ['a1'], ...common, updatedAt: '2026-03-01T09:30:00.000000Z' },
    ],
    cursor: '',
  });
};

export const IDENTITIES: Table = {
  'every field of an identity from events': fromEvents,
  'newest first, in pages to an empty cursor, while others are written': async (world) => {
    const source = await aSource(world);
    await add(world, source, 1, 10);
    const found: unknown[] = [];
    let cursor = '';
    do {
      const page = await list(world, source, `?limit=3&cursor=${encodeURIComponent(cursor)}`);
      found.push(...idsOf(page['identities'] as Json[]));
      cursor = String(page['cursor']);
      await add(world, source, 100 * found.length, 100 * found.length + 5);
    } while (cursor !== '');
    expect(found).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `u${String(n)}`));
  },
  'limit and cursor': {
    'limit 0': refuses(`${CALL}?limit=0`, NONE, malformed('/limit')),
    'limit 1': async (world) => {
      const source = await aSource(world);
      await add(world, source, 1, 2);
      expect(idsOf(await listed(world, source, '?limit=1'))).toEqual(['u2']);
    },
    'limit 1000': async (world) => {
      const source = await aSource(world);
      await add(world, source, 1, 1_001);
      expect(await listed(world, source, '?limit=1000')).toHaveLength(1_000);
      expect(await listed(world, source)).toHaveLength(100);
    },
    'limit 1001': refuses(`${CALL}?limit=1001`, NONE, malformed('/limit')),
    'a cursor that is none': refuses(`${CALL}?cursor=x`, NONE, malformed('/cursor')),
    'a cursor that is too long': refuses(
      `${CALL}?cursor=${'x'.repeat(201)}`,
      NONE,
      malformed('/cursor'),
    ),
    'an unknown parameter': refuses(`${CALL}?order=id`, NONE, malformed('/order')),
  },
  'a cursor of another list, or one that was changed, is 400': async (world) => {
    const [source, other] = [await aSource(world), await aSource(world)];
    await add(world, source, 1, 2);
    await add(world, other, 1, 2);
    const cursor = String((await list(world, source, '?limit=1'))['cursor']);
    const at = (id: string, text: string): string =>
      `GET /v1/connections/${id}/identities?cursor=${encodeURIComponent(text)}`;
    expect(idsOf((await world.done(at(source, cursor)))['identities'] as Json[])).toEqual(['u1']);
    expectRefused(await world.ask(at(other, cursor)), malformed('/cursor'));
    const last = cursor.endsWith('A') ? 'B' : 'A';
    for (const changed of [`${cursor.slice(0, -1)}${last}`, cursor.slice(0, -1), `${cursor}A`])
      expectRefused(await world.ask(at(source, changed)), malformed('/cursor'));
    const neighbour = await world.neighbour();
    expectRefused(await neighbour.ask(at(await aSource(neighbour), cursor)), malformed('/cursor'));
  },
  'connection does not exist': {
    'an id that nothing has': refuses(
      'GET /v1/connections/nothing000000/identities',
      NONE,
      NO_CONNECTION,
    ),
    'an impossible id': refuses('GET /v1/connections/no/identities', NONE, NO_CONNECTION),
    'one that was deleted': async (world) => {
      const source = await aSource(world);
      await add(world, source, 1, 1);
      await world.done(`DELETE /v1/connections/${source}`);
      expectRefused(await world.ask(`GET /v1/connections/${source}/identities`), NO_CONNECTION);
    },
  },
  'a connection of another workspace is the same 404': async (world) => {
    const neighbour = await world.neighbour();
    const path = `GET /v1/connections/${neighbour.ids.source}/identities`;
    expectRefused(await world.ask(path), NO_CONNECTION);
    expect((await neighbour.ask(path)).status).toBe(200);
  },
  'a destination has none': async (world) => {
    expect(await list(world, world.ids.destination)).toEqual({ identities: [], cursor: '' });
  },
  'need scope read': async (world) => {
    for (const scope of ['read', 'write', 'admin']) {
      const headers = bearer((await world.key({ scope })).key);
      expect((await world.ask(CALL, { headers })).status).toBe(200);
    }
  },
  'modes: Normal and Inspection': async (world) => {
    const source = await aSource(world);
    await add(world, source, 1, 1);
    for (const mode of ['Normal', 'Inspection'])
      await inMode(world, mode, async () => {
        expect(idsOf(await listed(world, source))).toEqual(['u1']);
      });
  },
  'data warehouse is in maintenance mode': (world) =>
    inMode(world, 'Maintenance', async () => {
      expectRefused(
        await world.ask(CALL),
        refused('MaintenanceMode', 'data warehouse is in maintenance mode'),
      );
    }),
  'data warehouse is a different data warehouse': (world) =>
    marked(world, 'workspace', 'another', async () => {
      expectRefused(
        await world.ask(CALL),
        refused('DifferentWarehouse', 'data warehouse is a different data warehouse'),
      );
    }),
  'data warehouse settings are not valid': async (world) => {
    const schema = await schemaOf(world);
    const rename = (from: string, to: string) =>
      withDatabase(world, (client) =>
        client.query(`ALTER TABLE ${schema}.${from} RENAME TO ${to}`),
      );
    await rename('_identities', 'gone');
    try {
      expectRefused(
        await world.ask(CALL),
        refused('InvalidWarehouseSettings', 'data warehouse settings are not valid', ''),
      );
    } finally {
      await rename('gone', '_identities');
    }
  },
  'data warehouse of a newer layout: 503': (world) =>
    marked(world, 'layout', '1000', async () => {
      expectRefused(await world.ask(CALL), UNAVAILABLE);
    }),
  'order of checks: existence before the cursor, and the cursor before the mode': (world) =>
    inMode(world, 'Maintenance', async () => {
      const absent = 'GET /v1/connections/nothing000000/identities';
      expectRefused(await world.ask(`${absent}?cursor=x`), NO_CONNECTION);
      expectRefused(await world.ask(absent), NO_CONNECTION);
      expectRefused(await world.ask(`${CALL}?cursor=x`), malformed('/cursor'));
    }),
  'nothing of another workspace is in it': async (world) => {
    const source = await aSource(world);
    await add(world, source, 1, 1);
    const { installation, receiver, databaseUrl } = world;
    const other = await World.make({ installation, receiver, databaseUrl });
    expect(await listed(other, other.ids.source)).toEqual([]);
    // A warehouse may hold rows with any id: they are shown to nobody else.
    await add(other, source, 2, 2);
    expect(idsOf(await listed(world, source))).toEqual(['u1']);
    expectRefused(await other.ask(`GET /v1/connections/${source}/identities`), NO_CONNECTION);
  },
  'nothing is changed, and there is no other method': async (world) => {
    for (const method of ['POST', 'PUT', 'DELETE'])
      expectRefused(await world.ask(`${method} /v1/connections/{source}/identities`), NO_METHOD);
    const etag = await world.etagOf('/v1/warehouse');
    await world.done(CALL);
    expect(await world.etagOf('/v1/warehouse')).toBe(etag);
  },
};
