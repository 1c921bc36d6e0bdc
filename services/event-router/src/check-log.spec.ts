import type { LogRecord } from '@penstock/messaging';
import { AnotherLog, checkLog } from './check-log';
import { markOf } from './progress/mark-of';

const record = (offset: number, value: string): LogRecord => ({
  partition: 0,
  offset,
  timestampMs: 1_000 + offset,
  key: 'key',
  value,
});

const logOf = (begin: number, values: readonly string[]) => (_: number, offset: number) => {
  const records = values.map((value, index) => record(begin + index, value));
  const from = records.filter((each) => each.offset >= offset).slice(0, 1);
  const end = begin + values.length;
  return Promise.resolve({ records: from, next: offset + from.length, begin, end });
};

const progress = (values: readonly string[]) => ({
  routed: values.length,
  mark: values.length === 0 ? null : markOf(record(values.length - 1, values.at(-1) ?? '')),
});

it('accepts a log whose last routed record is unchanged', async () => {
  await expect(
    checkLog(0, progress(['a', 'b']), logOf(0, ['a', 'b', 'c'])),
  ).resolves.toBeUndefined();
});

it('accepts a log when retention has removed the last routed record', async () => {
  await expect(checkLog(0, progress(['a', 'b']), logOf(2, ['c']))).resolves.toBeUndefined();
});

it('rejects a log with another record at the offset, or that ends before it', async () => {
  await expect(checkLog(0, progress(['a', 'b']), logOf(0, ['a', 'x', 'c']))).rejects.toThrow(
    AnotherLog,
  );
  await expect(checkLog(0, progress(['a', 'b']), logOf(0, ['a']))).rejects.toThrow(
    'PENSTOCK_EVENTS_FROM',
  );
});
