import { instant, type PipelineId } from './ids';
import {
  type EndedDeliveries,
  NewOutcomes,
  type OutcomesRecord,
  readOutcomes,
  writeOutcomes,
} from './outcomes';

const PLACE = { partition: 3, epoch: 7, sequence: 12 };

const ended = (...offsets: number[]): EndedDeliveries => ({
  pipeline: 'pipeline00000a' as PipelineId,
  version: 2,
  state: 'Rejected',
  code: '404',
  attempts: 1,
  at: instant(new Date(0)),
  status: 404,
  offsets,
});

it('writes what people can read', () => {
  expect([...writeOutcomes(PLACE, [ended(5, 7)])]).toEqual([
    '{"form":1,"partition":3,"epoch":7,"sequence":12,"part":1,"last":true,"outcomes":[' +
      '{"pipeline":"pipeline00000a","version":2,"state":"Rejected","code":"404",' +
      '"attempts":1,"at":"1970-01-01T00:00:00.000Z","status":404,"offsets":[5,7]}]}',
  ]);
});

it('divides what is too long for a record, and loses nothing', () => {
  const outcomes = Array.from({ length: 5_000 }, (_, offset) => ended(offset));
  const values = [...writeOutcomes(PLACE, outcomes)];
  expect(values.length).toBeGreaterThan(2);
  expect(Math.max(...values.map((value) => value.length))).toBeLessThan(201_000);
  const records = values.map(readOutcomes);
  expect(records.map(({ part }) => part)).toEqual(values.map((_, index) => index + 1));
  expect(records.map(({ last }) => last)).toEqual(
    values.map((_, index) => index === values.length - 1),
  );
  expect(records.flatMap((record) => record.outcomes)).toEqual(outcomes);
});

it.each(['{}', 'null', '{"form":2,"outcomes":[]}'])('does not read %s', (value) => {
  expect(() => readOutcomes(value)).toThrow('not 1');
});

it('distinguishes a repeated record from a new one', () => {
  const reader = new NewOutcomes();
  const isNew = (partition: number, epoch: number, sequence: number, part: number): boolean =>
    reader.isNew({ partition, epoch, sequence, part } as OutcomesRecord);
  expect(isNew(0, 1, 1, 1)).toBe(true);
  expect(isNew(0, 1, 1, 1)).toBe(false);
  expect(isNew(0, 1, 1, 2)).toBe(true);
  expect(isNew(0, 1, 2, 1)).toBe(true);
  expect(isNew(0, 1, 1, 1)).toBe(false);
  expect(isNew(0, 1, 1, 3)).toBe(false);
  expect(isNew(1, 1, 1, 1)).toBe(true);
  expect(isNew(0, 3, 0, 1)).toBe(true);
  expect(isNew(0, 2, 9, 9)).toBe(false);
  expect(isNew(0, 3, 1, 1)).toBe(true);
});
