import { EVENT_SCHEMA, eventCodec, type Instant } from '@penstock/contracts';
import { compileFilter, type Filter, parseFilter } from '@penstock/filters';
import { parseJson, type RecordValue, valueToJson, writeJson } from '@penstock/schema';
import fc from 'fast-check';
import type { EventsPage, EventsWanted } from '../../platform/event-reads';
import { profileId } from '../../platform/profiles.fixture';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { MINE, OPTIONS } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';

jest.setTimeout(60_000);

let written: WrittenStage;
let reader: WarehouseReader;
let end: AbortController;

beforeAll(async () => {
  written = await writtenStage(MINE);
  end = new AbortController();
  const options = { workspace: MINE, epoch: 1, connections: 2 };
  reader = await written.stage.reader(written.loader, options, end.signal);
});
afterAll(async () => {
  end.abort();
  await written.close();
});
beforeEach(() => run('TRUNCATE _events, _fences'));

const run = (...statements: readonly string[]) =>
  written.stage.run(`SET search_path = ${SCHEMA}`, ...statements);

const TIME = '2026-03-01T09:30:00.123Z';
const BY_TIME = { path: 'timestamp', isDescending: true };

const event = (messageId: string, more: object = {}): RecordValue =>
  eventCodec.parse(
    JSON.stringify({
      ...{ connectionId: 'c', anonymousId: 'a', messageId, type: 'track', event: 'e' },
      ...{ receivedAt: TIME, sentAt: TIME, originalTimestamp: TIME, timestamp: TIME },
      ...{ traits: {}, ...more },
    }),
  );

const write = async (events: readonly RecordValue[]): Promise<void> => {
  const writer = await written.open(OPTIONS);
  const session = await writer.beginEvents({ role: 'events', epoch: 1 });
  await session.write(events);
  await writer.close();
};

const page = (wanted: Partial<EventsWanted> = {}): Promise<EventsPage> =>
  reader.events(
    {
      ...{ properties: EVENT_SCHEMA, filter: null, order: BY_TIME, from: null, to: null },
      ...{ limit: 100, ...wanted },
    },
    AbortSignal.timeout(20_000),
  );

const pages = async (
  wanted: Partial<EventsWanted>,
  between?: () => Promise<void>,
): Promise<EventsPage[]> => {
  const found: EventsPage[] = [];
  let after: string | undefined;
  do {
    const read = await page({ ...wanted, after });
    found.push(read);
    after = read.next;
    await between?.();
  } while (after !== undefined);
  return found;
};

const ids = (found: readonly EventsPage[]): unknown[] =>
  found.flatMap(({ events }) => events.map((each) => each.event['messageId']));

const filterOf = (logical: 'and' | 'or', ...conditions: readonly object[]): Filter =>
  parseFilter(parseJson(JSON.stringify({ logical, conditions })), EVENT_SCHEMA, 'SourceEvent');

it('are what writers have written', async () => {
  const context = {
    app: { name: 'App', version: '1' },
    device: { adTrackingEnabled: false },
    ip: '2001:db8::1',
    location: { latitude: -0.5 },
    screen: { width: 320, density: 2.5 },
    session: { id: 9_007_199_254_740_991, start: true },
  };
  const full = event('full', {
    userId: 'u',
    properties: { n: 1, x: ['é'] },
    context,
    traits: { a: null },
  });
  const bare = event('bare', { timestamp: '2026-03-01T09:29:00.000Z' });
  await write([full, bare]);
  await run(`UPDATE _events SET profile_id = '${profileId(1)}' WHERE message_id = 'full'`);
  const { events, next } = await page();
  expect(next).toBeUndefined();
  const told = (record: RecordValue) =>
    JSON.parse(writeJson(valueToJson(EVENT_SCHEMA, record))) as object;
  expect(events.map((each) => [each.profile, told(each.event)])).toEqual([
    [profileId(1), told(full)],
    [null, told(bare)],
  ]);
  expect(Object.keys(told(bare))).not.toContain('context');
});

/** Events `m0` to `m<count - 1>`, each a second after the one before. */
const many = (count: number, from = 0): Promise<void> =>
  run(`INSERT INTO _events (connection_id, anonymous_id, message_id, type, received_at, sent_at, original_timestamp, "timestamp", traits, profile_id)
       SELECT 'c', 'a', 'm' || n, 'track', now(), now(), now(), '2026-03-01T09:30Z'::timestamptz + n * interval '1 second',
              jsonb_build_object('n', n), ('00000000-0000-4000-8000-' || lpad((n % 2)::text, 12, '0'))::uuid
       FROM generate_series(${from}, ${from + count - 1}) AS n`);

const down = (from: number, to: number, step = 1): string[] =>
  Array.from({ length: Math.floor((from - to) / step) + 1 }, (_, at) => `m${from - at * step}`);

it.each([4, 5, 6])(
  'are whole in pages of %i, the newest first, while others are written',
  async (limit) => {
    await many(5);
    let next = 1_000;
    const found = await pages({ limit }, async () => {
      await many(3, next);
      next += 10;
    });
    expect(ids(found)).toEqual(down(4, 0));
    const order = { ...BY_TIME, isDescending: false };
    await run(`DELETE FROM _events WHERE "timestamp" > '2026-03-01T09:40Z'`);
    expect(ids(await pages({ limit, order }))).toEqual(down(4, 0).reverse());
  },
);

it('with equal times go by connection and message id, by code points', async () => {
  const places = [
    ['c', '\u{1f600}'],
    ['c', 'B'],
    ['c', 'a'],
    ['b', 'z'],
    ['c', '\uffff'],
  ] as const;
  await write(places.map(([connectionId, messageId]) => event(messageId, { connectionId })));
  for (const isDescending of [true, false])
    expect(ids(await pages({ limit: 2, order: { ...BY_TIME, isDescending } }))).toEqual([
      'z',
      'B',
      'a',
      '\uffff',
      '\u{1f600}',
    ]);
});

it('are ordered by other members, those without a value last', async () => {
  const apps = [undefined, 'b', 'a', undefined, 'b'];
  await write(
    apps.map((name, at) =>
      event(`m${at}`, name === undefined ? {} : { context: { app: { name } } }),
    ),
  );
  const by = (isDescending: boolean) =>
    pages({ limit: 2, order: { path: 'context.app.name', isDescending } });
  expect(ids(await by(false))).toEqual(['m2', 'm1', 'm4', 'm0', 'm3']);
  expect(ids(await by(true))).toEqual(['m1', 'm4', 'm2', 'm0', 'm3']);
});

it('are those of a profile, and of a time', async () => {
  await many(10);
  expect(ids(await pages({ limit: 2, profile: profileId(1) }))).toEqual(down(9, 1, 2));
  const at = (second: number) => `2026-03-01T09:30:0${second}.000Z` as Instant;
  expect(ids([await page({ from: at(3), to: at(6) })])).toEqual(down(5, 3));
  expect(ids([await page({ from: at(6), to: at(3) })])).toEqual([]);
});

it('have the wanted members', async () => {
  await many(1);
  const properties = {
    ...EVENT_SCHEMA,
    properties: EVENT_SCHEMA.properties.filter(({ name }) => name === 'type'),
  };
  expect((await page({ properties })).events).toMatchObject([{ event: { type: 'track' } }]);
  expect(Object.keys((await page({ properties })).events[0]?.event ?? {})).toEqual(['type']);
});

it('come in shorter pages when they are large', async () => {
  await many(8);
  await run(`UPDATE _events SET name = repeat('x', 300000)`);
  const found = await pages({ limit: 8 });
  expect(found.map(({ events }) => events.length)).toEqual([2, 2, 2, 2]);
  expect(ids(found)).toEqual(down(7, 0));
  const filter = filterOf('and', { property: 'traits.n', operator: 'is not', values: ['5'] });
  const checked = await pages({ limit: 8, filter });
  expect(ids(checked)).toEqual(down(7, 0).filter((id) => id !== 'm5'));
  expect(checked.length).toBeGreaterThan(1);
});

const json = fc.constantFrom(
  ...[
    'null',
    '{}',
    '[]',
    '""',
    '5',
    '5.0',
    '"5"',
    '1e3',
    '1000',
    '"2026-03-01"',
    'true',
    '[5,"5"]',
  ],
  ...[
    '{"a":5}',
    '{"a":"x"}',
    '{"a":null}',
    '{"a":{"b":"xy"}}',
    '{"a":"2026-03-01T10:00:00+01:00"}',
  ],
);
const insides = fc.constantFrom('properties', 'properties.a', 'properties.a.b', 'traits.a');
const texts = fc.constantFrom('5', 'x', 'y', '1000.0', '2026-03-01', '2026-03-01T09:00:00Z', '1e3');

const condition = fc.oneof(
  fc.record({
    property: insides,
    operator: fc.constantFrom(
      ...['is', 'is not', 'is less than', 'is greater than or equal to', 'contains'],
      ...['does not contain', 'starts with', 'ends with'],
    ),
    values: fc.tuple(texts),
  }),
  fc.record({
    property: insides,
    operator: fc.constantFrom('is before', 'is on or after'),
    values: fc.constant(['2026-03-01T09:00:00Z']),
  }),
  fc.record({
    property: insides,
    operator: fc.constantFrom('is null', 'is not null', 'is empty', 'is true', 'is false'),
  }),
  fc.record({
    property: fc.constantFrom('properties.a', 'context.app'),
    operator: fc.constantFrom('exists', 'does not exist'),
  }),
  fc.record({
    property: fc.constantFrom('userId', 'channel'),
    operator: fc.constantFrom('is', 'is not'),
    values: fc.tuple(texts),
  }),
);

it('are filtered as the library of filters does, inside JSON too, in pages of any size', async () => {
  const drawn = fc.record({
    rows: fc.array(fc.tuple(json, fc.option(texts, { nil: undefined })), {
      minLength: 12,
      maxLength: 12,
    }),
    filters: fc.array(
      fc.tuple(
        fc.constantFrom('and' as const, 'or' as const),
        fc.array(condition, { minLength: 1, maxLength: 3 }),
      ),
      { minLength: 12, maxLength: 12 },
    ),
    limit: fc.integer({ min: 1, max: 13 }),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ rows, filters, limit }) => {
      await run('TRUNCATE _events, _fences');
      await write(
        rows.map(([properties, userId], at) =>
          event(`m${String(at).padStart(2, '0')}`, {
            properties: JSON.parse(properties) as unknown,
            userId,
          }),
        ),
      );
      const { events } = await page();
      for (const [logical, conditions] of filters) {
        const filter = filterOf(logical, ...conditions);
        const { matches } = compileFilter(filter, EVENT_SCHEMA);
        const expected = events.filter((each) => matches(each.event));
        expect([filter, ids(await pages({ filter, limit }))]).toEqual([
          filter,
          expected.map((each) => each.event['messageId']),
        ]);
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

it('of which few match are looked at a part at a time: a page may be empty before the end', async () => {
  await many(10_500);
  const filter = filterOf('and', { property: 'traits.n', operator: 'is', values: ['3'] });
  const found = await pages({ filter });
  expect(found[0]).toMatchObject({ events: [] });
  expect(ids(found)).toEqual(['m3']);
});
