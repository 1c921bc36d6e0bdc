import {
  readRefusedEvent,
  type RefusedEvent,
  refusedSealContext,
  suppressionId,
  TOPIC,
} from '@penstock/contracts';
import { LogUnavailable } from '@penstock/messaging';
import { newWriteKey } from '@penstock/runtime';
import { type Answered, send } from '../testing/http.fixture';
import { seals, secrets, source, WORKSPACE } from '../testing/installation.fixture';
import { IntakeStand } from '../testing/intake.fixture';

const GOOD = '{"type":"page","userId":"u"}';

let stand: IntakeStand;
let shop: ReturnType<typeof source>;
let blog: ReturnType<typeof source>;

beforeEach(async () => {
  stand = new IntakeStand({ limits: { maxEventBytes: 4_096 } });
  shop = source('nodejs');
  blog = source('nodejs');
  stand.configure(shop.state, blog.state);
  await stand.start();
});

afterEach(() => stand.stop());

const post = (body: string, { key } = shop, path = '/v1/events'): Promise<Answered> =>
  send(stand.url(path), { headers: { Authorization: `Bearer ${key}` }, body });

const records = (): RefusedEvent[] =>
  stand.log.recordsOf(TOPIC.refusedEvents).map(({ value }) => readRefusedEvent(value)!);

const recorded = async (count: number): Promise<RefusedEvent[]> => {
  const untilMs = performance.now() + 20_000;
  while (records().length < count && performance.now() < untilMs)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(records()).toHaveLength(count);
  return records();
};

const excerptIn = (refused: RefusedEvent): string =>
  seals.open(refused.sealed ?? '', WORKSPACE, refusedSealContext(refused));

it('records what the answer rejects, of each source, with its place and text', async () => {
  const bad = '{"type":"track", "userId":"Ada-Lovelace", "messageId":"m1"}';
  const batch = await post(`[${GOOD},${bad},${GOOD}]`);
  expect(batch.text).toContain('"rejected":[{"index":1,"messageId":"m1","code":"InvalidEvent"');
  expect((await post('7', blog)).status).toBe(400);
  expect((await post('[7]', blog)).status).toBe(400);
  const [first, second] = await recorded(2);
  expect(first).toMatchObject({
    workspace: WORKSPACE,
    source: shop.state.id,
    index: 1,
    messageId: 'm1',
    code: 'InvalidEvent',
    path: '/event',
    reason: 'is required for track',
    users: [suppressionId((text) => secrets.keyedHash(text), WORKSPACE, 'Ada-Lovelace')],
    isCut: false,
    count: 1,
  });
  expect(excerptIn(first!)).toBe(bad);
  expect(second).toMatchObject({ source: blog.state.id, index: 0, messageId: null, users: [] });
  expect(excerptIn(second!)).toBe('7');
  expect(JSON.stringify(stand.log.recordsOf(TOPIC.refusedEvents))).not.toContain('Ada-Lovelace');
});

it('records the beginning of a large event', async () => {
  const name = 'é'.repeat(3_000);
  await post(`{"batch":[{"type":"track","userId":"u","event":"${name}"}]}`, shop, '/v1/batch');
  const [refused] = await recorded(1);
  expect(refused).toMatchObject({ code: 'EventTooLarge', isCut: true });
  expect(excerptIn(refused!)).toMatch(/^\{"type":"track","userId":"u","event":"é+$/);
  expect(Buffer.byteLength(excerptIn(refused!))).toBeGreaterThan(2_040);
});

it('records nothing of unknown keys, of bodies that are no events, and of good events', async () => {
  expect((await post('[7]', { ...shop, key: newWriteKey() })).status).toBe(401);
  expect((await post('no JSON')).status).toBe(400);
  expect((await post(`[${GOOD}]`)).status).toBe(200);
  await post('[7]');
  expect(await recorded(1)).toMatchObject([{ index: 0 }]);
});

it('is not waited for: intake answers while the log takes none', async () => {
  const append = stand.log.append.bind(stand.log);
  let release: () => void = () => undefined;
  const hanging = new Promise<[]>((resolve) => {
    release = () => {
      resolve([]);
    };
  });
  jest
    .spyOn(stand.log, 'append')
    .mockImplementation((topic, ...rest) =>
      topic === TOPIC.refusedEvents ? hanging : append(topic, ...rest),
    );
  for (let each = 0; each < 5; each += 1) expect((await post(`[7,${GOOD}]`)).status).toBe(200);
  expect(stand.eventTexts()).toHaveLength(5);
  release();
});

it('fails no request when the log refuses them', async () => {
  const append = stand.log.append.bind(stand.log);
  let failures = 0;
  jest.spyOn(stand.log, 'append').mockImplementation((topic, ...rest) => {
    if (topic !== TOPIC.refusedEvents) return append(topic, ...rest);
    failures += 1;
    return Promise.reject(new LogUnavailable('away'));
  });
  expect((await post(`[7,${GOOD}]`)).status).toBe(200);
  while (failures === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect((await post(`[7,${GOOD}]`)).status).toBe(200);
});

it('does bounded work for a flood of rubbish: few excerpts, one record for the rest', async () => {
  const seal = jest.spyOn(seals, 'seal');
  const rubbish = `[${Array.from({ length: 20_000 }, () => '7').join()}]`;
  for (let each = 0; each < 3; each += 1) expect((await post(rubbish)).status).toBe(400);
  await post('[7]', blog);
  expect(seal).toHaveBeenCalledTimes(61);
  await recorded(61);
  await stand.stop();
  const all = records();
  expect(all).toHaveLength(62);
  expect(all.at(-1)).toMatchObject({ source: shop.state.id, count: 60_000 - 60, sealed: null });
  seal.mockRestore();
  stand = new IntakeStand();
  await stand.start();
});
