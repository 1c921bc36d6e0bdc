import { until } from '../../harness/until';
import { expectRefused, FORBIDDEN, NO_CONNECTION, NONE } from '../refusal';
import { answers, refuses, type Run, type Table } from '../table';
import { bearer, type World } from '../world';

const NOBODY = 'nothing000000';

/** A source and a destination that are not linked. */
const pair = async (world: World): Promise<{ src: string; dst: string; path: string }> => {
  const src = await world.made('POST /v1/connections', {
    name: 'S',
    role: 'Source',
    connector: 'webhook',
  });
  const dst = await world.made('POST /v1/connections', {
    name: 'D',
    role: 'Destination',
    connector: 'http',
    settings: { url: world.receiver.url },
  });
  return { src, dst, path: `/v1/connections/${src}/links/${dst}` };
};

const linksOf = async (world: World, id: string): Promise<unknown> =>
  (await world.done(`GET /v1/connections/${id}`))['linkedConnections'];

/** Links with an end that is no source or no destination. */
const NO_ENDS: Readonly<Record<string, string>> = {
  'src that is none': `${NOBODY}/links/{destination}`,
  'dst that is none': `{source}/links/${NOBODY}`,
  'src that is a destination': '{destination}/links/{destination}',
  'src that is an application': '{application}/links/{destination}',
  'dst that is a source': '{source}/links/{source}',
  'dst that takes no events': '{source}/links/{application}',
  'src that cannot be': '%00/links/{destination}',
  'dst that cannot be': '{source}/links/%00',
};

const refusesEach = (method: string): Readonly<Record<string, Run>> => ({
  ...Object.fromEntries(
    Object.entries(NO_ENDS).map(([name, path]) => [
      name,
      refuses(`${method} /v1/connections/${path}`, NONE, NO_CONNECTION),
    ]),
  ),
  'src of another workspace': async (world) => {
    const { ids } = await world.neighbour();
    const path = `/v1/connections/${ids.source}/links/{destination}`;
    expectRefused(await world.ask(`${method} ${path}`), NO_CONNECTION);
  },
  'dst of another workspace': async (world) => {
    const { ids } = await world.neighbour();
    const path = `/v1/connections/{source}/links/${ids.destination}`;
    expectRefused(await world.ask(`${method} ${path}`), NO_CONNECTION);
  },
});

export const LINKS: Table = {
  'Link: no response': answers('POST /v1/connections/{source}/links/{destination}'),
  'Link: succeeds if already linked': async (world) => {
    const { src, dst, path } = await pair(world);
    for (let times = 0; times < 2; times += 1)
      expect(await world.ask(`POST ${path}`)).toMatchObject({ status: 200, text: '' });
    expect(await linksOf(world, src)).toEqual([dst]);
    expect(await linksOf(world, dst)).toEqual([src]);
  },
  'Link: connection does not exist': refusesEach('POST'),
  'Unlink: no response': async (world) => {
    const { src, dst, path } = await pair(world);
    await world.done(`POST ${path}`);
    expect(await world.ask(`DELETE ${path}`)).toMatchObject({ status: 200, text: '' });
    expect(await linksOf(world, src)).toEqual([]);
    expect(await linksOf(world, dst)).toEqual([]);
  },
  'Unlink: succeeds if not linked': async (world) => {
    const { path } = await pair(world);
    expect(await world.ask(`DELETE ${path}`)).toMatchObject({ status: 200, text: '' });
  },
  'Unlink: connection does not exist': refusesEach('DELETE'),
  'Link: events of the source are sent to the linked destination': async (world) => {
    const { src, dst, path } = await pair(world);
    await world.made('POST /v1/pipelines', {
      name: 'Linked',
      connection: dst,
      target: 'Event',
      eventType: 'send_event',
      enabled: true,
    });
    const { keys } = await world.done(`GET /v1/connections/${src}/event-write-keys`);
    const [key = ''] = keys as string[];
    const send = async (messageId: string) => {
      const body = JSON.stringify({ type: 'track', event: 'E', userId: 'ada', messageId });
      const answer = await world.ask('POST /v1/events', { headers: bearer(key), body });
      expect(answer.status).toBe(200);
    };
    const arrived = (messageId: string) =>
      world.receiver.delivered.some(({ body }) => body['messageId'] === messageId);
    await send(`${src}-before`);
    await world.done(`POST ${path}`);
    await send(`${src}-linked`);
    await until('the event of the linked source arrives', () => arrived(`${src}-linked`));
    await world.done(`DELETE ${path}`);
    await send(`${src}-unlinked`);
    await world.done(`POST ${path}`);
    await send(`${src}-again`);
    await until('the event after it is linked again', () => arrived(`${src}-again`));
    expect(arrived(`${src}-before`)).toBe(false);
    expect(arrived(`${src}-unlinked`)).toBe(false);
  },
  'Link: needs scope write': async (world) => {
    const { key } = await world.key({ scope: 'read' });
    for (const method of ['POST', 'DELETE']) {
      const call = `${method} /v1/connections/{source}/links/{destination}`;
      expectRefused(await world.ask(call, { headers: bearer(key) }), FORBIDDEN);
    }
  },
};
