import {
  type ConnectionId,
  INTEREST_HOLDS_MS,
  type Integrations,
  type LiveEvent,
  type LiveInterest,
  type LiveRecord,
  type SendingPipelineState,
  readLiveRecord,
  writeAcceptedEvent,
} from '@penstock/contracts';
import type { NewMessage } from '@penstock/messaging';
import { readIncoming } from '../routing/incoming';
import type { IncomingEvent } from '../routing/incoming-event';
import { DESTINATIONS, Facts, pipelineId, RoutesStand, SOURCES } from '../routing/routing.fixture';
import type { BaseKind, OutcomeRecord } from '../store/changes';
import { FakeClock } from '../testing/fake-clock';
import { onlyEvent, WORKSPACE } from '../testing/pipelines.fixture';
import { LIVE_LIMITS, type LiveBudget } from './live-budget';
import { LiveSamples } from './live-samples';

const [SOURCE, OTHER] = SOURCES as [ConnectionId, ConnectionId];
const [FIRST, SECOND, THIRD] = DESTINATIONS as [ConnectionId, ConnectionId, ConnectionId];
const PARTITION = 3;

const facts = new Facts();
facts.connection(FIRST, { role: 'Destination' });
facts.connection(SECOND, { role: 'Destination', connector: 'second' });
facts.connection(THIRD, { role: 'Destination' });
facts.pipeline(pipelineId(1), { connection: FIRST });
facts.pipeline(pipelineId(2), { connection: SECOND, filter: onlyEvent('Rare') });
facts.pipeline(pipelineId(3), { connection: THIRD, enabled: false });
facts.connection(SOURCE, { links: [FIRST, SECOND, THIRD] });
facts.connection(OTHER, { links: [THIRD] });

const EVERYTHING: LiveInterest = { workspace: WORKSPACE, connection: null, pipeline: null };

const clock = new FakeClock();
let stand: RoutesStand;
let live: LiveSamples;
let appended: NewMessage[][];
let append: () => Promise<void>;
let errors: unknown[];

beforeEach(async () => {
  stand = new RoutesStand(facts);
  for (const source of SOURCES) await stand.at(source, facts.position);
  appended = [];
  errors = [];
  append = () => Promise.resolve();
  live = new LiveSamples({
    clock,
    append: (messages) => {
      appended.push([...messages]);
      return append();
    },
    seal: (text, workspace, context) => JSON.stringify([text, workspace, context]),
    onError: (error) => errors.push(error),
  });
});

afterEach(() => {
  live.stop();
});

const watch = (...interests: readonly Partial<LiveInterest>[]): void => {
  const all = interests.map((each) => ({ ...EVERYTHING, ...each }));
  live.interests.take({ gateway: 'gateway', interests: all });
};

interface Given {
  readonly source?: ConnectionId;
  readonly event?: string;
  readonly integrations?: Integrations | null;
  readonly receipt?: BaseKind;
  readonly text?: string;
}

const TIME = '2026-03-01T09:30:00.000Z';

const textOf = (source: string, event: string): string =>
  JSON.stringify({
    connectionId: source,
    anonymousId: 'Ada',
    event,
    messageId: 'm',
    properties: {},
    receivedAt: TIME,
    sentAt: TIME,
    originalTimestamp: TIME,
    timestamp: TIME,
    traits: {},
    type: 'track',
  });

const incoming = (
  offset: number,
  { source = SOURCE, event = 'E', integrations = null, text = textOf(source, event) }: Given,
): IncomingEvent => {
  const head = { workspace: WORKSPACE, source, messageId: 'm', seen: facts.position };
  const value = writeAcceptedEvent({
    ...head,
    integrations,
    digest: 'a'.repeat(16),
    eventText: text,
  });
  const record = { partition: PARTITION, offset, timestampMs: 0, key: 'key', value };
  const read = readIncoming(record);
  if (read.kind === 'unreadable') throw new Error(read.reason);
  return read;
};

const route = (offset: number, given: Given = {}): void => {
  live.routed(PARTITION, incoming(offset, given), given.receipt ?? 'New', stand.routes);
};

const end = (offset: number, members: Partial<OutcomeRecord> = {}): void => {
  const outcome: OutcomeRecord = {
    offset,
    pipeline: pipelineId(1),
    version: 1,
    state: 'Delivered',
    code: '',
    attempts: 1,
    atMs: Date.parse(TIME),
    status: 0,
    made: 'a digest',
    ...members,
  };
  live.ended(PARTITION, outcome, facts.of(pipelineId(1)) as SendingPipelineState);
};

const records = (): LiveRecord[] => appended.flat().map(({ value }) => readLiveRecord(value)!);

const written = async (ms = 100): Promise<LiveRecord[]> => {
  await clock.advance(ms);
  return records();
};

const events = (of: readonly LiveRecord[]): LiveEvent[] =>
  of.filter((record) => record.kind === 'event');

it('does nothing while nobody watches', async () => {
  const looks = jest.spyOn(stand.routes, 'at');
  route(1);
  end(1);
  expect(await written(10_000)).toEqual([]);
  expect([looks.mock.calls.length, clock.pending]).toEqual([0, 0]);
});

it('does nothing for a workspace that nobody watches', async () => {
  watch({ workspace: 'workspace000002' as LiveInterest['workspace'] });
  route(1);
  expect(await written()).toEqual([]);
});

it('has the event, sealed for its place, with what each pipeline makes of it', async () => {
  watch({});
  route(7);
  expect(await written()).toEqual([
    {
      kind: 'event',
      workspace: WORKSPACE,
      source: SOURCE,
      event: '3/7',
      receipt: 'New',
      pipelines: [
        { pipeline: pipelineId(1), version: 1, connection: FIRST, state: 'Open', code: '' },
        {
          pipeline: pipelineId(2),
          version: 1,
          connection: SECOND,
          state: 'Filtered',
          code: 'NotMatched',
        },
        {
          pipeline: pipelineId(3),
          version: null,
          connection: THIRD,
          state: 'Filtered',
          code: 'Disabled',
        },
      ],
      sealed: JSON.stringify([textOf(SOURCE, 'E'), WORKSPACE, `${WORKSPACE}/live/3/7`]),
    },
  ]);
});

it('tells opt-outs from filters', async () => {
  watch({});
  route(7, { event: 'Rare', integrations: { second: false } });
  const [event] = events(await written());
  expect(event?.pipelines.map(({ code }) => code)).toEqual(['', 'OptedOut', 'Disabled']);
});

it.each(['Duplicate', 'DifferentBody'] as const)('has a %s without pipelines', async (receipt) => {
  watch({});
  route(7, { receipt });
  expect(await written()).toMatchObject([{ receipt, pipelines: [] }]);
});

it('has no event of a suppressed user, and none that cannot be read', async () => {
  watch({});
  route(1, { receipt: 'Suppressed' });
  route(2, { text: '{"type":7}' });
  expect(await written()).toEqual([]);
});

it('has no event of a workspace whose key is gone', async () => {
  live = new LiveSamples({
    clock,
    append,
    seal: () => {
      throw new Error('erased');
    },
    onError: (error) => errors.push(error),
  });
  watch({});
  route(1);
  expect([await written(), errors]).toEqual([[], []]);
});

describe('what is watched', () => {
  it.each<[string, Partial<LiveInterest>, number[]]>([
    ['everything', {}, [1, 2]],
    ['a source', { connection: SOURCE }, [1]],
    ['a destination of both', { connection: THIRD }, [1, 2]],
    ['a destination of one', { connection: FIRST }, [1]],
    ['a pipeline', { pipeline: pipelineId(2) }, [1]],
    ['a disabled pipeline', { pipeline: pipelineId(3) }, [1, 2]],
    ['a pipeline that is elsewhere', { connection: OTHER, pipeline: pipelineId(1) }, []],
    ['another connection', { connection: 'destination009' as ConnectionId }, []],
  ])('%s', async (_, interest, offsets) => {
    watch(interest);
    route(1);
    route(2, { source: OTHER });
    expect(events(await written()).map(({ event }) => event)).toEqual(
      offsets.map((offset) => `3/${String(offset)}`),
    );
  });

  it('is what any gateway has announced', async () => {
    watch({ connection: OTHER });
    live.interests.take({ gateway: 'other', interests: [{ ...EVERYTHING, connection: SOURCE }] });
    route(1);
    route(2, { source: OTHER });
    expect(await written()).toHaveLength(2);
  });

  it('is over when its gateway says so', async () => {
    watch({});
    watch();
    route(1);
    expect(await written()).toEqual([]);
  });

  it('holds for 15 s after the last announcement', async () => {
    watch({});
    await clock.advance(INTEREST_HOLDS_MS - 1);
    live.lookAfter();
    route(1);
    expect(await written(0)).toHaveLength(0);
    watch({});
    await clock.advance(INTEREST_HOLDS_MS - 1);
    expect(records()).toHaveLength(1);
    await clock.advance(1);
    live.lookAfter();
    route(2);
    expect(await written()).toHaveLength(1);
    expect(live.interests.areNone).toBe(true);
  });
});

describe('outcomes', () => {
  it('follow the event that was sampled', async () => {
    watch({});
    route(7);
    end(7, { state: 'Rejected', code: '404', attempts: 2, status: 404 });
    expect((await written())[1]).toEqual({
      kind: 'outcome',
      workspace: WORKSPACE,
      source: SOURCE,
      event: '3/7',
      pipeline: pipelineId(1),
      version: 1,
      connection: FIRST,
      state: 'Rejected',
      code: '404',
      attempts: 2,
      status: 404,
      at: TIME,
    });
  });

  it('are those of the deliveries that were opened, and of no other event', async () => {
    watch({});
    route(7);
    end(7);
    end(7);
    end(8);
    expect((await written()).map(({ kind }) => kind)).toEqual(['event', 'outcome']);
  });

  it('of an event are awaited while 999 newer ones are open, and not while 1000 are', async () => {
    for (const newer of [999, 1_000]) {
      watch({});
      route(0);
      for (let offset = 1; offset <= newer; offset += 1) {
        if (offset % 20 === 0) await clock.advance(1_000);
        route(offset);
      }
      await clock.advance(1_000);
      appended = [];
      end(0);
      expect(await written()).toHaveLength(newer === 999 ? 1 : 0);
    }
  });

  it('are not awaited when nobody watches any more', async () => {
    watch({});
    route(7);
    watch();
    live.lookAfter();
    end(7);
    expect(await written()).toHaveLength(1);
  });
});

describe('a small load', () => {
  const { eachSecond, burst } = LIVE_LIMITS.workspace;

  it.each([
    ['all', eachSecond.events, 0],
    ['not all', eachSecond.events + 2, 40],
  ])('of as many events as are sampled a second, or more: %s are', async (_, each, leftOut) => {
    const seconds = burst.events / 2 + 10;
    for (let second = 0; second < seconds; second += 1) {
      watch({});
      for (let index = 0; index < each; index += 1) route(second * each + index);
      await clock.advance(1_000);
      live.lookAfter();
    }
    const all = await written(2_000);
    const missed = all.flatMap((record) => (record.kind === 'dropped' ? [record.count] : []));
    expect(missed.reduce((sum, count) => sum + count, 0)).toBe(leftOut);
    expect(events(all)).toHaveLength(seconds * each - leftOut);
  });

  it('of events with many deliveries is sampled up to as many records', async () => {
    const { budget } = live as unknown as { budget: LiveBudget };
    budget.take(WORKSPACE, { records: eachSecond.records - 1, bytes: 1 });
    expect(budget.hasRoom(WORKSPACE)).toBe(true);
    budget.take(WORKSPACE, { records: 1, bytes: 1 });
    expect(budget.hasRoom(WORKSPACE)).toBe(false);
    await clock.advance(10);
    expect(budget.hasRoom(WORKSPACE)).toBe(true);
  });
});

describe('a flood', () => {
  const { events: most, bytes: mostBytes } = LIVE_LIMITS.workspace.burst;

  it('is sampled up to the limit, and the rest is counted', async () => {
    watch({});
    for (let offset = 0; offset < 1_000; offset += 1) route(offset);
    const all = await written(1_000);
    expect(events(all)).toHaveLength(most);
    expect(all.filter(({ kind }) => kind === 'dropped')).toEqual([
      { kind: 'dropped', workspace: WORKSPACE, source: SOURCE, count: 1_000 - most },
    ]);
    for (let offset = 2_000; offset < 3_000; offset += 1) route(offset);
    expect(events(await written(2_000))).toHaveLength(
      most + LIVE_LIMITS.workspace.eachSecond.events,
    );
  });

  it('is appended twice a second at most, and a small load at once', async () => {
    watch({});
    route(0);
    await clock.advance(100);
    expect(appended).toHaveLength(1);
    await clock.advance(5_000);
    appended = [];
    for (let each = 0; each < 500; each += 1) {
      for (let index = 0; index < 10; index += 1) route(each * 10 + index);
      await clock.advance(10);
    }
    expect(appended.length).toBeGreaterThanOrEqual(9);
    expect(appended.length).toBeLessThanOrEqual(11);
  });

  it('writes its numbers once a second', async () => {
    watch({});
    for (let each = 0; each < 50; each += 1) {
      for (let index = 0; index < 100; index += 1) route(each * 100 + index);
      await clock.advance(100);
    }
    const all = await written(2_000);
    const dropped = all.filter((record) => record.kind === 'dropped');
    expect(dropped.length).toBeLessThanOrEqual(7);
    const sum = dropped.reduce((total, { count }) => total + count, 0);
    expect(sum + events(all).length).toBe(5_000);
  });

  it('of large events ends at the limit of bytes', async () => {
    watch({});
    const text = textOf(SOURCE, 'x'.repeat(30_000));
    for (let offset = 0; offset < 100; offset += 1) route(offset, { text });
    const bytes = events(await written()).length * text.length;
    expect(bytes).toBeGreaterThanOrEqual(mostBytes);
    expect(bytes).toBeLessThan(mostBytes + text.length);
  });

  it('leaves other workspaces their share, up to the limit of the process', async () => {
    const others = Array.from({ length: 9 }, (_, index) => `workspace-of-another-${String(index)}`);
    const { budget } = live as unknown as { budget: LiveBudget };
    const share = { records: LIVE_LIMITS.workspace.burst.records, bytes: 1 };
    watch({});
    for (const other of others.slice(0, 4)) budget.take(other, share);
    route(1);
    for (const other of others) budget.take(other, share);
    route(2);
    expect(events(await written())).toHaveLength(1);
  });
});

describe('a log that does not take them', () => {
  it('loses samples, says so once it takes them again, and tells operators', async () => {
    append = () => Promise.reject(new Error('away'));
    watch({});
    route(1);
    route(2);
    await clock.advance(100);
    append = () => Promise.resolve();
    appended = [];
    expect(await written(2_000)).toEqual([
      { kind: 'dropped', workspace: WORKSPACE, source: SOURCE, count: 2 },
    ]);
    expect(errors.length).toBeGreaterThan(0);
  });

  it('is waited for with bounded memory, and one call at a time', async () => {
    let goOn: () => void = () => undefined;
    append = () => new Promise((resolve) => (goOn = resolve));
    watch({});
    for (let second = 0; second < 300; second += 1) {
      watch({});
      for (let each = 0; each < 100; each += 1) route(second * 100 + each);
      await clock.advance(1_000);
    }
    expect(appended).toHaveLength(1);
    appended = [];
    append = () => Promise.resolve();
    goOn();
    const all = await written(2_000);
    expect(events(all)).toHaveLength(5_000);
    expect(all).toContainEqual(expect.objectContaining({ kind: 'dropped' }));
  }, 30_000);

  it('is not written to after the end', async () => {
    watch({});
    route(1);
    live.stop();
    route(2);
    expect(await written(2_000)).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
