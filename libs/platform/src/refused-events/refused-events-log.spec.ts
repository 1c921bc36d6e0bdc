import {
  type ConnectionId,
  readRefusedEvent,
  type RefusedEvent,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import type { NewMessage } from '@penstock/messaging';
import { REFUSED_LIMITS } from './refused-budget';
import { type NewRefusedEvent, RefusedEventsLog } from './refused-events-log';

const WORKSPACE = 'workspace0000001' as WorkspaceId;
const [ONE, OTHER] = ['source0000000001', 'source0000000002'] as [ConnectionId, ConnectionId];
const { ofSource, ofProcess } = REFUSED_LIMITS;

let refused: RefusedEventsLog;
let appended: NewMessage[][];
let append: () => Promise<never[]>;
let errors: unknown[];
let looks: number;
let seal: (text: string, workspace: string, context: string) => string;

beforeEach(() => {
  jest.useFakeTimers();
  appended = [];
  errors = [];
  looks = 0;
  append = () => Promise.resolve([]);
  seal = (text, workspace, context) => JSON.stringify([text, workspace, context]);
  refused = new RefusedEventsLog({
    log: {
      append: (topic, messages) => {
        expect(topic).toBe(TOPIC.refusedEvents);
        appended.push([...messages]);
        return append();
      },
    },
    seal: (...text) => seal(...text),
    keyedHash: (text) => `hash of ${text.replaceAll('\0', ' ')}`,
    onError: (error) => errors.push(error),
  });
});

afterEach(() => {
  jest.useRealTimers();
});

const record = (members: Partial<NewRefusedEvent> = {}): void => {
  refused.record({
    workspace: WORKSPACE,
    source: ONE,
    index: 0,
    messageId: 'm',
    code: 'InvalidEvent',
    path: '/type',
    reason: 'is required',
    details: () => {
      looks += 1;
      return { excerpt: '{"userId":"Ada"}', isCut: false, userIds: ['Ada'] };
    },
    ...members,
  });
};

const written = async (ms = 100): Promise<RefusedEvent[]> => {
  await jest.advanceTimersByTimeAsync(ms);
  return appended.flat().map(({ value }) => readRefusedEvent(value)!);
};

const total = (of: readonly RefusedEvent[]): number =>
  of.reduce((sum, { count }) => sum + count, 0);

it('records an event with its excerpt sealed for its place, and its user named by a hash', async () => {
  record({ id: '3-7' });
  expect(await written()).toEqual([
    {
      id: '3-7',
      workspace: WORKSPACE,
      source: ONE,
      at: expect.stringMatching(/Z$/) as string,
      index: 0,
      messageId: 'm',
      code: 'InvalidEvent',
      path: '/type',
      reason: 'is required',
      users: [`hash of suppressed ${WORKSPACE} Ada`],
      sealed: JSON.stringify(['{"userId":"Ada"}', WORKSPACE, `refused/${ONE}/3-7`]),
      isCut: false,
      count: 1,
    },
  ]);
});

it('gives each a new id, and cuts a long message id', async () => {
  record({ messageId: 'm'.repeat(300) });
  record({ messageId: null });
  const found = await written();
  expect(new Set(found.map(({ id }) => id)).size).toBe(2);
  expect(found.map(({ messageId }) => messageId?.length)).toEqual([255, undefined]);
});

it('records without an excerpt when the workspace has no key any more', async () => {
  seal = () => {
    throw new Error('erased');
  };
  record();
  expect(await written()).toMatchObject([{ sealed: null }]);
});

it('appends what comes together at once', async () => {
  for (let each = 0; each < 10; each += 1) record();
  await written();
  expect(appended).toHaveLength(1);
});

it('waits for no pause between them', async () => {
  for (let each = 0; each < 20; each += 1) {
    record();
    await written(50);
  }
  expect(appended.length).toBeGreaterThan(3);
});

describe('a flood', () => {
  it('is recorded up to the limit of a minute, and the rest is counted by source and code', async () => {
    for (let each = 0; each < 20_000; each += 1) record();
    record({ source: OTHER });
    for (let each = 0; each < 5; each += 1) record({ code: 'EventTooLarge' });
    expect(looks).toBe(ofSource + 1);
    expect(await written()).toHaveLength(ofSource + 1);
    const all = await written(10_000);
    expect(all.slice(ofSource + 1)).toMatchObject([
      {
        source: ONE,
        code: 'InvalidEvent',
        count: 20_000 - ofSource,
        sealed: null,
        messageId: null,
      },
      { source: ONE, code: 'EventTooLarge', count: 5 },
    ]);
    expect(total(all)).toBe(20_006);
  });

  it('may be recorded again in the next minute', async () => {
    for (let each = 0; each <= ofSource; each += 1) record();
    await written(60_000);
    const before = looks;
    record();
    expect(looks).toBe(before + 1);
  });

  it('of many sources ends at the limit of the process', async () => {
    for (let each = 0; each < ofProcess; each += 1)
      record({ source: `source-${String(each)}` as ConnectionId });
    expect(looks).toBe(ofProcess);
    record({ source: 'source-last' as ConnectionId });
    expect(looks).toBe(ofProcess);
    expect(total(await written(11_000))).toBe(ofProcess + 1);
  });

  it('that lasts writes its numbers every ten seconds', async () => {
    for (let second = 0; second < 60; second += 1) {
      for (let each = 0; each < 100; each += 1) record();
      await written(1_000);
    }
    const all = await written(10_000);
    expect(all.length).toBeLessThanOrEqual(ofSource + 7);
    expect(total(all)).toBe(6_000);
  });
});

describe('a log that does not take them', () => {
  it('is not waited for; they are counted once it takes them again', async () => {
    append = () => Promise.reject(new Error('away'));
    for (let each = 0; each < 3; each += 1) record();
    await written();
    expect(errors).toHaveLength(1);
    append = () => Promise.resolve([]);
    appended = [];
    expect(await written(20_000)).toMatchObject([{ code: 'InvalidEvent', count: 3 }]);
  });

  it('keeps one call under way, and bounded memory', async () => {
    let goOn: () => void = () => undefined;
    append = () => new Promise((resolve) => (goOn = () => resolve([])));
    for (let minute = 0; minute < 5; minute += 1) {
      for (let each = 0; each < 700; each += 1)
        record({ source: `source-${String(each % 20)}` as ConnectionId });
      await written(60_000);
    }
    expect(appended).toHaveLength(1);
    append = () => Promise.resolve([]);
    goOn();
    const all = await written(60_000);
    expect(appended.slice(1).every(({ length }) => length <= 1_020)).toBe(true);
    expect(total(all)).toBe(3_500);
  });
});

it('records what waits when it is closed, and nothing afterwards', async () => {
  for (let each = 0; each <= ofSource; each += 1) record();
  await refused.close();
  record();
  const all = await written(60_000);
  expect(total(all)).toBe(ofSource + 1);
});
