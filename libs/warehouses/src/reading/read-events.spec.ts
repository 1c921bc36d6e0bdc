import { EVENT_SCHEMA } from '@penstock/contracts';
import { parseFilter } from '@penstock/filters';
import { decodeValue, newRecord, parseJson } from '@penstock/schema';
import type { EventsWanted } from '../platform/event-reads';
import { type ReadEvent, readEvents } from './read-events';

const ROWS = 400;

/** Events of which each takes a while to be looked at. */
const rows = (): readonly ReadEvent[] => {
  const json = JSON.stringify({ a: 'x'.repeat(2_000), list: Array(2_000).fill(1.5), n: 1 });
  const eventOf = () =>
    Object.assign(newRecord(), { properties: decodeValue({ kind: 'json' }, parseJson(json)) });
  return Array.from({ length: ROWS }, (_, index) => ({
    bytes: json.length,
    decode: () => ({ place: String(index), profile: null, event: eventOf() }),
  }));
};

const wanted: EventsWanted = {
  properties: { kind: 'object', properties: [] },
  filter: parseFilter(
    parseJson(
      '{"logical":"and","conditions":[{"property":"properties.n","operator":"is","values":["2"]}]}',
    ),
    EVENT_SCHEMA,
    'SourceEvent',
  ),
  ...{ from: null, to: null, after: undefined, limit: 10 },
  order: { path: 'timestamp', isDescending: true },
};

const read = (signal: AbortSignal) =>
  readEvents(wanted, () => Promise.resolve({ rows: rows(), isLast: true }), signal);

it('lets other work have its turn between events that are checked', async () => {
  let turns = 0;
  const other = setInterval(() => (turns += 1), 0);
  try {
    // On a busy machine the time for one page may be over before all are checked.
    expect((await read(new AbortController().signal)).events).toEqual([]);
  } finally {
    clearInterval(other);
  }
  expect(turns).toBeGreaterThan(0);
});

it('checks no more events when nobody waits for them any more', async () => {
  const given = new AbortController();
  setImmediate(() => {
    given.abort();
  });
  await expect(read(given.signal)).rejects.toMatchObject({ kind: 'unreachable' });
});
