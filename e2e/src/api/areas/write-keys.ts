import { sized } from '../../router-faults/sizes';
import {
  absent,
  expectRefused,
  FORBIDDEN,
  json,
  malformed,
  NO_CONNECTION,
  NO_KEY,
  NONE,
  refused,
} from '../refusal';
import { refuses, type Run, type Table } from '../table';
import { bearer, type World } from '../world';

const NO_WRITE_KEY = absent('EventWriteKeyNotExist', 'key does not exist');
const ONLY_KEY = refused(
  'SingleEventWriteKey',
  "key cannot be deleted as it is the connection's only key",
);
const MANY = refused('TooManyEventWriteKeys', 'connection already has 20 keys');

const source = async (world: World, connector = 'nodejs'): Promise<string> => {
  const id = await world.made('POST /v1/connections', { name: 'S', role: 'Source', connector });
  return `/v1/connections/${id}/event-write-keys`;
};

const keysOf = async (world: World, path: string): Promise<string[]> =>
  (await world.done(`GET ${path}`))['keys'] as string[];

const sendWith = (world: World, key: string) =>
  world.ask('POST /v1/events', {
    headers: bearer(key),
    body: JSON.stringify({ type: 'track', event: 'Bad', userId: 'ada' }),
  });

/** Cases with objects that have no write keys: destinations and sources of users. */
const ofNoSource = (call: (id: string) => string): Record<string, Run> => ({
  ...Object.fromEntries(
    ['nothing000000', '%00', '{destination}', '{application}'].map((id) => [
      id,
      refuses(call(id), NONE, NO_CONNECTION),
    ]),
  ),
  'of another workspace': async (world) => {
    const { ids } = await world.neighbour();
    expectRefused(await world.ask(call(ids.source)), NO_CONNECTION);
  },
});

export const WRITE_KEYS: Table = {
  'Create: answers the key': async (world) => {
    const path = await source(world);
    const { key } = await world.done(`POST ${path}`);
    expect(key).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(await keysOf(world, path)).toContain(key);
    expect((await sendWith(world, String(key))).status).toBe(200);
  },
  'Create: for SDK and webhook connections': Object.fromEntries(
    ['nodejs', 'javascript', 'webhook', 'segment', 'rudderstack'].map(
      (connector): [string, Run] => [
        connector,
        async (world) => {
          const path = await source(world, connector);
          await world.done(`POST ${path}`);
          expect(await keysOf(world, path)).toHaveLength(2);
        },
      ],
    ),
  ),
  'Create: connection does not exist': ofNoSource(
    (id) => `POST /v1/connections/${id}/event-write-keys`,
  ),
  'Create: connection already has 20 keys': async (world) => {
    const path = await source(world);
    for (let key = 2; key <= 20; key += 1) await world.done(`POST ${path}`);
    expect(await keysOf(world, path)).toHaveLength(20);
    expectRefused(await world.ask(`POST ${path}`), MANY);
    const [key = ''] = await keysOf(world, path);
    await world.done(`DELETE ${path}/${key}`);
    await world.done(`POST ${path}`);
  },
  'Create: 200 at once make exactly 20 keys': async (world) => {
    const path = await source(world);
    const answers = await Promise.all(
      Array.from({ length: sized(40, 200) }, () => world.ask(`POST ${path}`)),
    );
    const made = answers.filter(({ status }) => status === 200);
    for (const answer of answers) if (answer.status !== 200) expectRefused(answer, MANY);
    expect(made).toHaveLength(19);
    expect(new Set(await keysOf(world, path)).size).toBe(20);
  },
  'Create: takes no body': {
    'a member is refused': refuses(
      'POST /v1/connections/{source}/event-write-keys',
      json({ key: 'mine' }),
      malformed('/key'),
    ),
    'an empty object is no harm': async (world) => {
      const { status } = await world.ask(`POST ${await source(world)}`, json({}));
      expect(status).toBe(200);
    },
  },
  'List: at least one, from the creation on': {
    nodejs: async (world) => {
      expect(await keysOf(world, await source(world))).toHaveLength(1);
    },
    webhook: async (world) => {
      expect(await keysOf(world, await source(world, 'webhook'))).toHaveLength(1);
    },
  },
  'List: connection does not exist': ofNoSource(
    (id) => `GET /v1/connections/${id}/event-write-keys`,
  ),
  'List: whole, in the order of creation': async (world) => {
    const path = await source(world);
    const made = await keysOf(world, path);
    for (let key = 0; key < 3; key += 1)
      made.push(String((await world.done(`POST ${path}`))['key']));
    expect(await keysOf(world, path)).toEqual(made);
  },
  'Delete: no response': async (world) => {
    const path = await source(world);
    const { key } = await world.done(`POST ${path}`);
    const answer = await world.ask(`DELETE ${path}/${String(key)}`);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await keysOf(world, path)).not.toContain(key);
    expectRefused(await sendWith(world, String(key)), NO_KEY);
  },
  'Delete: connection does not exist': ofNoSource(
    (id) => `DELETE /v1/connections/${id}/event-write-keys/{writeKey}`,
  ),
  'Delete: key does not exist': {
    'one of nobody': refuses(
      `DELETE /v1/connections/{source}/event-write-keys/${'0'.repeat(32)}`,
      NONE,
      NO_WRITE_KEY,
    ),
    'of another connection': async (world) => {
      const other = await source(world);
      await world.done(`POST ${other}`);
      expectRefused(await world.ask(`DELETE ${other}/{writeKey}`), NO_WRITE_KEY);
    },
    'one that cannot be': refuses(
      'DELETE /v1/connections/{source}/event-write-keys/%00',
      NONE,
      NO_WRITE_KEY,
    ),
  },
  'Delete: key cannot be deleted as it is the only key': {
    'one after the other': async (world) => {
      const path = await source(world);
      const [key = ''] = await keysOf(world, path);
      expectRefused(await world.ask(`DELETE ${path}/${key}`), ONLY_KEY);
      await world.done(`POST ${path}`);
      await world.done(`DELETE ${path}/${key}`);
    },
    'all at once': async (world) => {
      const path = await source(world);
      for (let key = 0; key < 4; key += 1) await world.done(`POST ${path}`);
      const keys = await keysOf(world, path);
      const answers = await Promise.all(keys.map((key) => world.ask(`DELETE ${path}/${key}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 422]);
      expect(await keysOf(world, path)).toHaveLength(1);
    },
  },
  'Write keys: need scope write to change, read to list': async (world) => {
    const { key } = await world.key({ scope: 'read' });
    const headers = bearer(key);
    const path = '/v1/connections/{source}/event-write-keys';
    expect((await world.ask(`GET ${path}`, { headers })).status).toBe(200);
    expectRefused(await world.ask(`POST ${path}`, { headers }), FORBIDDEN);
    expectRefused(await world.ask(`DELETE ${path}/{writeKey}`, { headers }), FORBIDDEN);
  },
  'Write keys: are 32 base62 characters, and no API keys': async (world) => {
    expect(world.ids.writeKey).toMatch(/^[0-9A-Za-z]{32}$/);
    const headers = bearer(world.ids.writeKey);
    expectRefused(await world.ask('GET /v1/pipelines', { headers }), NO_KEY);
    expectRefused(await sendWith(world, world.installation.apiKey), NO_KEY);
  },
};
