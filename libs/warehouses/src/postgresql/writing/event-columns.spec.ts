import { EVENTS_TABLE } from '../layout/events-table';
import { EVENT_COLUMNS, eventText } from './event-columns';

it('an event has a value for every column but that of its profile', () => {
  const names = EVENTS_TABLE.columns.map(({ name }) => name);
  expect(EVENT_COLUMNS.map(({ name }) => name).sort()).toEqual(
    names.filter((name) => name !== 'profile_id').sort(),
  );
});

it('times of events are cut to milliseconds, not rounded', () => {
  const event = { receivedAt: '2026-03-01T09:30:59.999999999Z' };
  const at = EVENT_COLUMNS.findIndex(({ name }) => name === 'received_at');
  expect(eventText(event).trimEnd().split('\t')[at]).toBe('2026-03-01T09:30:59.999Z');
});
