import { type SuppressionId, suppressionId, TOPIC, type WorkspaceId } from '@penstock/contracts';
import { Registry } from 'prom-client';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  organization,
  secrets,
  source,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const writer = apiKey('write');
const reader = apiKey('read');
const web = source('nodejs');
const stand = new GatewayStand();
const { pipelineService, log } = stand;
const registry = new Registry();

beforeAll(async () => {
  const apiKeys = [writer.record, reader.record];
  await stand.configure(organization({ apiKeys }), workspace(), web.state);
  await stand.start({ registry });
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
  pipelineService.answer('SuppressUser', {});
  pipelineService.answer('UnsuppressUser', {});
});

const idOf = (userId: string, of: WorkspaceId = WORKSPACE): SuppressionId =>
  suppressionId((text) => secrets.keyedHash(text), of, userId);

const post = (path: string, body: unknown, key: string): Promise<Answered> =>
  send(stand.url(path), {
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

describe.each([
  ['/v1/users/suppress', 'SuppressUser'],
  ['/v1/users/unsuppress', 'UnsuppressUser'],
] as const)('%s', (path, command) => {
  it('sends a keyed hash of the user id as events contain it', async () => {
    const answered = await post(path, { userId: 'Ade\u0301' }, writer.key);
    expect(answered).toMatchObject({ status: 200, text: '' });
    const id = idOf('Ad\u00e9');
    expect(pipelineService.calls).toMatchObject([{ name: command, about: id, in: { id } }]);
    expect(JSON.stringify(pipelineService.calls)).not.toContain('Ad\u00e9');
  });

  it.each([[{}], [{ userId: '' }], [{ userId: 5 }], [{ userId: 'a', other: 1 }]])(
    'refuses %j',
    async (body) => {
      expect((await post(path, body, writer.key)).status).toBe(400);
      expect(pipelineService.calls).toEqual([]);
    },
  );

  it('needs the scope write', async () => {
    expect((await post(path, { userId: 'ada' }, reader.key)).status).toBe(403);
  });
});

describe('events of a suppressed user', () => {
  const suppress = (suppressed: boolean, version: number): Promise<void> =>
    stand.configure({
      kind: 'suppression',
      id: idOf('ada'),
      workspace: WORKSPACE,
      version,
      suppressed,
    });

  it('is counted and found by its id, and not in another workspace', async () => {
    const look = async (query: string) =>
      jsonOf(
        await send(stand.url(`/v1/users/suppressed${query}`), {
          method: 'GET',
          headers: { Authorization: `Bearer ${reader.key}` },
        }),
      );
    expect(await look('?userId=ada')).toEqual({ count: 0, suppressed: false });
    await suppress(true, 1);
    expect(await look('')).toEqual({ count: 1 });
    expect(await look('?userId=ada')).toEqual({ count: 1, suppressed: true });
    expect(await look('?userId=bob')).toEqual({ count: 1, suppressed: false });
    await suppress(false, 2);
    expect(await look('?userId=ada')).toEqual({ count: 0, suppressed: false });
    for (const query of ['?userId=', '?userId=a&userId=b'])
      expect(await look(query)).toMatchObject({ error: { details: [{ path: '/userId' }] } });
    expect(pipelineService.calls).toEqual([]);
  });

  const onTheLog = (): number => log.recordsOf(TOPIC.events).length;

  const send3 = (): Promise<Answered> =>
    post(
      '/v1/events',
      [
        { type: 'track', event: 'E', userId: 'ada' },
        { type: 'alias', userId: 'new', previousId: 'ada' },
        { type: 'track', event: 'E', userId: 'bob' },
      ],
      web.key,
    );

  it('are accepted and dropped from the answer on until the suppression ends', async () => {
    await send3();
    expect(onTheLog()).toBe(3);
    await suppress(true, 1);
    const answered = await send3();
    expect([answered.status, jsonOf(answered)]).toEqual([200, { accepted: 3 }]);
    expect(onTheLog()).toBe(4);
    const only = await post('/v1/events', { type: 'page', userId: 'ada' }, web.key);
    expect([only.status, jsonOf(only)]).toEqual([200, { accepted: 1 }]);
    expect(onTheLog()).toBe(4);
    expect(await registry.metrics()).toMatch(
      /penstock_intake_events_total\{connector="nodejs",outcome="suppressed"\} 3/,
    );
    await suppress(false, 2);
    await send3();
    expect(onTheLog()).toBe(7);
  });

  it('are still rejected when they are not valid', async () => {
    await suppress(true, 3);
    const answered = await post('/v1/events', { type: 'track', userId: 'ada' }, web.key);
    expect(answered.status).toBe(400);
  });
});
