import { EVENTS_TABLE } from '../layout/events-table';
import { EVENT_COLUMNS } from './event-columns';

it('an event has a value for every column but that of its profile', () => {
  const names = EVENTS_TABLE.columns.map(({ name }) => name);
  expect(EVENT_COLUMNS.map(({ name }) => name).sort()).toEqual(
    names.filter((name) => name !== 'profile_id').sort(),
  );
});
