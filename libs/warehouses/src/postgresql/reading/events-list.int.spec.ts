import { EVENT_SCHEMA } from '@penstock/contracts';
import { type Filter, parseFilter } from '@penstock/filters';
import { parseJson } from '@penstock/schema';
import type { EventsPage, EventsWanted } from '../../platform/event-reads';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { MINE } from '../../platform/warehouse-writer.contract';
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

const BY_TIME = { path: 'timestamp', isDescending: true };

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

/** Events `m0` to `m<count - 1>`, each a second after the one before. */
const many = (count: number, from = 0): Promise<void> =>
  run(`INSERT INTO _events (connection_id, anonymous_id, message_id, type, received_at, sent_at, original_timestamp, "timestamp", traits, profile_id)
       SELECT 'c', 'a', 'm' || n, 'track', now(), now(), now(), '2026-03-01T09:30Z'::timestamptz + n * interval '1 second',
              jsonb_build_object('n', n), ('00000000-0000-4000-8000-' || lpad((n % 2)::text, 12, '0'))::uuid
       FROM generate_series(${from}, ${from + count - 1}) AS n`);

it('of which few match are looked at a part at a time: a page may be empty before the end', async () => {
  await many(10_500);
  const filter = filterOf('and', { property: 'traits.n', operator: 'is', values: ['3'] });
  const found = await pages({ filter });
  expect(found[0]).toMatchObject({ events: [] });
  expect(ids(found)).toEqual(['m3']);
});
