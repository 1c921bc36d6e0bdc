import { bench, LONG_MS } from '../runner.fixture';
import { RecordFailure } from '../values/record-failure';

const { runner, run } = bench('Python', LONG_MS);
afterAll(() => runner.close());
jest.setTimeout(60_000);

const valueOf = async (expression: string): Promise<unknown> => {
  const source = `
import os
from datetime import datetime, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones
def transform(event):
  return {'text': str(${expression})}`;
  const [record] = (await run(source, ['a'])).records;
  return record instanceof RecordFailure ? record.message : record?.['text'];
};

const inZone = (moment: string, zone: string): string =>
  `datetime.fromisoformat('${moment}').astimezone(ZoneInfo('${zone}')).strftime('%FT%T %Z %z')`;

it.each([
  ['2024-07-01T10:00:00Z', 'Europe/Rome', '2024-07-01T12:00:00 CEST +0200'],
  ['2024-01-01T10:00:00Z', 'Europe/Rome', '2024-01-01T11:00:00 CET +0100'],
  ['2024-07-01T10:00:00Z', 'Asia/Kolkata', '2024-07-01T15:30:00 IST +0530'],
  ['2018-12-01T10:00:00Z', 'America/Sao_Paulo', '2018-12-01T08:00:00 -02 -0200'],
  ['2024-12-01T10:00:00Z', 'America/Sao_Paulo', '2024-12-01T07:00:00 -03 -0300'],
  ['2099-07-01T10:00:00Z', 'America/New_York', '2099-07-01T06:00:00 EDT -0400'],
  ['1901-07-01T10:00:00Z', 'UTC', '1901-07-01T10:00:00 UTC +0000'],
])('formats %s in %s', async (moment, zone, expected) => {
  expect(await valueOf(inZone(moment, zone))).toBe(expected);
});

it.each([
  ["datetime(2024, 10, 27, 2, 30, tzinfo=ZoneInfo('Europe/Rome')).utcoffset()", '2:00:00'],
  ["datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ZoneInfo('Europe/Rome')).utcoffset()", '1:00:00'],
  ["datetime(2024, 7, 1, tzinfo=ZoneInfo('Europe/Rome')).dst()", '1:00:00'],
  ["{'UTC', 'Asia/Kolkata', 'America/Argentina/Ushuaia'} <= available_timezones()", 'True'],
  ['len(available_timezones()) > 550', 'True'],
])('%s is %s', async (expression, value) => {
  expect(await valueOf(expression)).toBe(value);
});

it.each(['Europe/Atlantis', 'europe/rome', 'Europe', '+01:00'])(
  'finds no zone %j',
  async (zone) => {
    expect(await valueOf(`ZoneInfo('${zone}')`)).toMatch(
      /^Python: (ZoneInfoNotFoundError|IsADirectoryError): /,
    );
  },
);

const ROME = '/usr/share/zoneinfo/Europe/Rome';

it.each([
  `open('${ROME}', 'wb')`,
  `open('${ROME}', 'r+b', buffering=0).write(b'x')`,
  `os.truncate('${ROME}', 10 ** 9)`,
  `os.remove('${ROME}')`,
  `os.rename('${ROME}', '${ROME}2')`,
  `os.link('${ROME}', '${ROME}2')`,
  `open('${ROME}2', 'wb')`,
  `os.mkdir('${ROME}2')`,
  `os.rmdir('/usr/share/zoneinfo/Arctic')`,
  `open('/usr/share/zoneinfo/../../../etc/passwd')`,
  `os.listdir('/usr/share/zoneinfo/..')`,
])('%s fails', async (attempt) => {
  expect(await valueOf(attempt)).toMatch(/^Python: \w*(Error|UnsupportedOperation): /);
});
