import {
  type LiveRecord,
  liveSealContext,
  readLiveRecord,
  TOPIC,
  writeInterests,
} from '@penstock/contracts';
import { seals } from '../testing/installation.fixture';
import { FanOut } from '../testing/fan-out.fixture';
import { WORKSPACE } from '../testing/pipelines.fixture';
import { until } from '../testing/until.fixture';

jest.setTimeout(600_000);

let fanOut: FanOut<'well' | 'picky' | 'refusing'>;

beforeEach(async () => {
  fanOut = await FanOut.open(['well', 'picky', 'refusing']);
  fanOut.receivers.refusing.answer = () => 400;
  await fanOut.configure();
});

afterEach(() => fanOut.close());

const announce = (gateway: string, isWatching = true): Promise<unknown> => {
  const interests = isWatching ? [{ workspace: WORKSPACE, connection: null, pipeline: null }] : [];
  const value = writeInterests({ gateway, interests });
  return fanOut.installation.log.append(TOPIC.liveInterest, [{ key: gateway, value }]);
};

/** From now on: resolves when that many routers know what was announced before they began. */
const followed = (): ((routers: number) => Promise<void>) => {
  const { log } = fanOut.installation;
  const follow = log.follow.bind(log);
  const following: ReturnType<typeof follow>[] = [];
  jest.spyOn(log, 'follow').mockImplementation((options) => {
    const reader = follow(options);
    if (options.topic === TOPIC.liveInterest) following.push(reader);
    return reader;
  });
  return async (routers) => {
    await until(() => Promise.resolve(following.length >= routers));
    for (const reader of following) await (await reader).caughtUp();
  };
};

const ends = (): Promise<readonly number[]> => fanOut.installation.log.endOffsets(TOPIC.live);

const live = async (): Promise<LiveRecord[]> => {
  const { records } = await fanOut.installation.log.read(TOPIC.live, 0, 0, 10_000_000);
  return records.flatMap(({ value }) => readLiveRecord(value) ?? []);
};

const COUNT = 40;
const RARE = 4;

const expected = {
  well: { Delivered: COUNT },
  picky: { Delivered: RARE, Filtered: COUNT - RARE },
  refusing: { 'Rejected 400': COUNT },
};

it('nobody watching leaves the topic unmoved', async () => {
  await fanOut.installation.start();
  await announce('gone', false);
  await fanOut.installation.accept(...fanOut.events(COUNT));
  await fanOut.expectCounts(expected);
  expect(await ends()).toEqual([0]);
});

it('two routers sample every event and outcome of both sources, sealed on the log', async () => {
  const isFollowed = followed();
  await announce('gateway');
  await fanOut.installation.start();
  await fanOut.installation.start();
  await isFollowed(2);
  await fanOut.installation.accept(...fanOut.events(COUNT));
  await fanOut.expectCounts(expected);
  await until(async () => (await live()).length === COUNT + COUNT + RARE + COUNT);

  const all = await live();
  const shown = all.flatMap((record) => (record.kind === 'event' ? [record] : []));
  const texts = shown.map((each) => seals.open(each.sealed, WORKSPACE, liveSealContext(each)));
  const messageIds = texts.map((text) => (JSON.parse(text) as { messageId: string }).messageId);
  expect(messageIds.sort()).toEqual(
    fanOut
      .events(COUNT)
      .map(({ messageId }) => messageId)
      .sort(),
  );
  expect(JSON.stringify(all)).not.toContain('message-');
  const outcomes = all.flatMap((record) => (record.kind === 'outcome' ? [record] : []));
  const tally: Record<string, number> = {};
  for (const { pipeline, state, code, status } of outcomes) {
    const name = `${pipeline} ${state} ${code} ${String(status)}`;
    tally[name] = (tally[name] ?? 0) + 1;
  }
  expect(tally).toEqual({
    [`${fanOut.pipeline('well')} Delivered  200`]: COUNT,
    [`${fanOut.pipeline('picky')} Delivered  200`]: RARE,
    [`${fanOut.pipeline('refusing')} Rejected 400 400`]: COUNT,
  });
  for (const { event } of outcomes)
    expect(shown.findIndex((each) => each.event === event)).toBeGreaterThanOrEqual(0);
});

it('goes on delivering while samples cannot be appended', async () => {
  const { log } = fanOut.installation;
  const append = log.append.bind(log);
  let samples = 0;
  jest.spyOn(log, 'append').mockImplementation((topic, ...rest) => {
    if (topic !== TOPIC.live) return append(topic, ...rest);
    samples += 1;
    return new Promise(() => undefined);
  });
  const isFollowed = followed();
  await announce('gateway');
  await fanOut.installation.start();
  await isFollowed(1);
  await fanOut.installation.accept(...fanOut.events(COUNT));
  await fanOut.expectCounts(expected);
  expect(samples).toBeGreaterThan(0);
  expect(await ends()).toEqual([0]);
});
