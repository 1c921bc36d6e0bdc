import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { Backlog } from './backlog';

const LIMIT = 2_048;

const stand = () => {
  const dropped: number[] = [];
  const failed: string[] = [];
  const backlog = new Backlog<number>({
    onDropped: (count) => dropped.push(count),
    onFailed: ({ message }) => failed.push(message),
  });
  const results: ((result: ExportResult) => void)[] = [];
  const send = backlog.watched((_, onResult) => results.push(onResult));
  return { backlog, dropped, failed, results, send };
};

const admit = (backlog: Backlog<number>, count: number): number =>
  Array.from({ length: count }, () => backlog.admit()).filter((isTaken) => isTaken).length;

it('takes as many items as its limit, and drops and counts the others', () => {
  const { backlog, dropped } = stand();
  expect(admit(backlog, LIMIT)).toBe(LIMIT);
  expect(dropped).toEqual([]);
  expect(admit(backlog, 2)).toBe(0);
  expect(dropped).toEqual([1, 1]);
});

it('has room again when an export has ended, not before', () => {
  const { backlog, dropped, failed, results, send } = stand();
  admit(backlog, LIMIT);
  const ends: ExportResult[] = [];
  send([1, 2, 3], (result) => ends.push(result));
  expect(backlog.admit()).toBe(false);
  results[0]!({ code: ExportResultCode.SUCCESS });
  expect(ends).toEqual([{ code: ExportResultCode.SUCCESS }]);
  expect(admit(backlog, 4)).toBe(3);
  expect(dropped).toEqual([1, 1]);
  expect(failed).toEqual([]);
});

it('counts the items of an export that has failed, and tells why', () => {
  const { backlog, dropped, failed, results, send } = stand();
  admit(backlog, 3);
  send([1, 2, 3], () => undefined);
  results[0]!({ code: ExportResultCode.FAILED, error: new Error('away') });
  expect(dropped).toEqual([3]);
  expect(failed).toEqual(['away']);
  expect(admit(backlog, LIMIT)).toBe(LIMIT);
});
