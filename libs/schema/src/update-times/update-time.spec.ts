import fc from 'fast-check';
import { Invalid } from '../issue';
import { DIRECTIVES } from './directives';
import { compileUpdateTimeFormat, type UpdateTimeSource } from './update-time';

const read = (format: string, text: string): string | undefined => {
  const found = compileUpdateTimeFormat(format, 'file')(text);
  return 'time' in found ? found.time : undefined;
};

const problemOf = (format: string, source: UpdateTimeSource = 'file'): string | undefined => {
  try {
    compileUpdateTimeFormat(format, source);
    return undefined;
  } catch (error) {
    if (error instanceof Invalid) return error.issues[0]?.message;
    throw error;
  }
};

it.each([
  ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
  ['2024-02-29T10:11:12', '2024-02-29T10:11:12.000000Z'],
  ['2024-02-29 10:11:12.1234569+02:00', '2024-02-29T08:11:12.123456Z'],
  ['2024-W09-4T10Z', '2024-02-29T10:00:00.000000Z'],
  ['2024-02-29T10:11:12.5Z', '2024-02-29T10:11:12.500000Z'],
  ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.999999Z'],
  ['2024-02-30', undefined],
  ['1709201472', undefined],
  ['', undefined],
])('%j in ISO 8601 is %s', (text, time) => expect(read('ISO8601', text)).toBe(time));

it.each([
  ['1', '1900-01-01T00:00:00.000000Z'],
  ['59', '1900-02-28T00:00:00.000000Z'],
  ['59.999999999999', '1900-02-28T23:59:59.999999Z'],
  ['60', undefined],
  ['60.5', undefined],
  ['61', '1900-03-01T00:00:00.000000Z'],
  ['45000.5', '2023-03-15T12:00:00.000000Z'],
  ['4.50005E4', '2023-03-15T12:00:00.000000Z'],
  ['45351.424444444448', '2024-02-29T10:11:12.000000Z'],
  ['45351.000000000001', '2024-02-29T00:00:00.000000Z'],
  ['2958465.75', '9999-12-31T18:00:00.000000Z'],
  ['2958466', undefined],
  ['0.999', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['2024-02-29', undefined],
  ['', undefined],
  ['1'.repeat(100_000), undefined],
])('%.30j in serial days is %s', (text, time) => expect(read('Excel', text)).toBe(time));

it.each([
  ['%Y-%m-%d', '2024-02-29', '2024-02-29T00:00:00.000000Z'],
  ['%Y%m%d', '20240229', '2024-02-29T00:00:00.000000Z'],
  ['%m/%d/%Y', '2/9/2024', '2024-02-09T00:00:00.000000Z'],
  ['%d.%m.%y', '01.12.68', '2068-12-01T00:00:00.000000Z'],
  ['%d.%m.%y', '01.12.69', '1969-12-01T00:00:00.000000Z'],
  ['%d.%m.%y', '01.12.99', '1999-12-01T00:00:00.000000Z'],
  ['%d.%m.%y', '01.12.00', '2000-12-01T00:00:00.000000Z'],
  ['%Y', '2024', '2024-01-01T00:00:00.000000Z'],
  ['%Y-%m', '2024-07', '2024-07-01T00:00:00.000000Z'],
  ['%Y-%j', '2024-060', '2024-02-29T00:00:00.000000Z'],
  ['%Y-%j', '2024-60', '2024-02-29T00:00:00.000000Z'],
  ['%Y-%j', '2023-365', '2023-12-31T00:00:00.000000Z'],
  ['%Y-%j', '2023-366', undefined],
  ['%Y-%j', '2024-0', undefined],
  ['%d %b %Y', '5 mar 2024', '2024-03-05T00:00:00.000000Z'],
  ['%d %b %Y', '5 March 2024', undefined],
  ['%B %d, %Y', 'September 5, 2024', '2024-09-05T00:00:00.000000Z'],
  ['%B %d, %Y', 'Sep 5, 2024', undefined],
  ['%a %b %d %Y', 'TUE Mar 05 2024', '2024-03-05T00:00:00.000000Z'],
  ['%A, %d %B %Y', 'Tuesday, 05 March 2024', '2024-03-05T00:00:00.000000Z'],
  ['%A, %d %B %Y', 'Dienstag, 05 March 2024', undefined],
  ['%Y-%m-%d %H:%M:%S', '2024-02-29 23:59:59', '2024-02-29T23:59:59.000000Z'],
  ['%Y-%m-%d %H:%M:%S', '2024-02-29 24:00:00', undefined],
  ['%Y-%m-%d %H:%M:%S', '2024-02-29 23:59:60', undefined],
  ['%Y-%m-%d %H:%M', '2024-02-29 7:5', '2024-02-29T07:05:00.000000Z'],
  ['%Y-%m-%d %I:%M %p', '2024-02-29 12:00 am', '2024-02-29T00:00:00.000000Z'],
  ['%Y-%m-%d %I:%M %p', '2024-02-29 12:00 PM', '2024-02-29T12:00:00.000000Z'],
  ['%Y-%m-%d %I:%M %p', '2024-02-29 1:05 PM', '2024-02-29T13:05:00.000000Z'],
  ['%Y-%m-%d %I:%M %p', '2024-02-29 13:05 PM', undefined],
  ['%Y-%m-%d %I', '2024-02-29 12', '2024-02-29T00:00:00.000000Z'],
  ['%Y-%m-%d %H:%M:%S.%f', '2024-02-29 10:11:12.5', '2024-02-29T10:11:12.500000Z'],
  ['%Y-%m-%d %H:%M:%S.%f', '2024-02-29 10:11:12.123456789', '2024-02-29T10:11:12.123456Z'],
  ['%Y-%m-%d %H:%M:%S.%f', '2024-02-29 10:11:12.1234567891', undefined],
  ['%Y-%m-%dT%H:%M%z', '2024-02-29T10:11+0530', '2024-02-29T04:41:00.000000Z'],
  ['%Y-%m-%dT%H:%M%z', '2024-02-29T10:11-07:00', '2024-02-29T17:11:00.000000Z'],
  ['%Y-%m-%dT%H:%M%z', '2024-02-29T10:11+02', '2024-02-29T08:11:00.000000Z'],
  ['%Y-%m-%dT%H:%M%z', '2024-02-29T10:11z', '2024-02-29T10:11:00.000000Z'],
  ['%Y-%m-%dT%H:%M%z', '2024-02-29T10:11', undefined],
  ['%Y-%m-%d %H:%M %Z', '2024-02-29 10:11 UTC', '2024-02-29T10:11:00.000000Z'],
  ['%Y-%m-%d %H:%M %Z', '2024-02-29 10:11 gmt', '2024-02-29T10:11:00.000000Z'],
  ['%Y-%m-%d %H:%M %Z', '2024-02-29 10:11 CET', undefined],
  ['%Y-%m-%d %H:%M:%S %z %Z', '2024-02-29 10:11:12 +0000 UTC', '2024-02-29T10:11:12.000000Z'],
  ['100%% %Y.*', '100% 2024.*', '2024-01-01T00:00:00.000000Z'],
  ['100%% %Y.*', '100% 2024xx', undefined],
  ['%Y-%m-%d', '2023-02-29', undefined],
  ['%Y-%m-%d', '0000-01-01', undefined],
  ['%Y-%m-%d', ' 2024-02-29', undefined],
  ['%Y-%m-%d', '2024-02-29\n', undefined],
])('with %s, %j is %s', (format, text, time) => expect(read(format, text)).toBe(time));

it.each([
  ['%Y-%m-%d', undefined],
  [`%Y${'x'.repeat(62)}`, undefined],
  [`%Y${'x'.repeat(63)}`, 'must have at most 64 characters'],
  ['%Y %q', 'holds the directive %q, which does not exist'],
  ['%Y %', 'holds the directive %, which does not exist'],
  ['%Y %G', 'holds the directive %G, which does not exist'],
  ['%Y %m %b', 'gives the month twice'],
  ['%Y %Y', 'gives the year twice'],
  ['%H:%M', 'must hold %Y or %y'],
  ['%%', 'must hold %Y or %y'],
  ['iso8601', 'must be ISO8601, Excel or a layout'],
  ['', 'must be ISO8601, Excel or a layout'],
])('the form %.20j: %s', (format, problem) => {
  if (problem === undefined) expect(problemOf(format)).toBeUndefined();
  else expect(problemOf(format)).toContain(problem);
});

it('only files have serial days', () => {
  expect(problemOf('Excel', 'file')).toBeUndefined();
  expect(problemOf('Excel', 'database')).toContain('files only');
  expect(problemOf('Excell', 'database')).not.toContain('Excel');
});

it('knows each directive of the specification', () => {
  expect([...DIRECTIVES.keys()].sort().join('')).toBe('ABHIMSYZabdfjmpyz');
});

it('says which form a text should have, and repeats no value', () => {
  expect(compileUpdateTimeFormat('%Y', 'database')('secret')).toEqual({
    issue: 'is no time of the form %Y',
  });
});

it('reads what it writes, and sorts as a text', () => {
  const time = fc.date({
    min: new Date('0001-01-01'),
    max: new Date('9999-12-31'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(time, time, (one, other) => {
      const [first, second] = [one, other].map((date) => date.toISOString());
      const [a = '', b = ''] = [first, second].map((text) => read('ISO8601', text ?? ''));
      expect(read('%Y-%m-%dT%H:%M:%S.%fZ', a)).toBe(a);
      expect(a < b).toBe(one < other);
    }),
  );
});

it('takes time linear in the text, also for a layout of neighbours', () => {
  const neighbours = compileUpdateTimeFormat('%y%m%d%H%M%S%j%f%z', 'file');
  const before = process.cpuUsage();
  expect(neighbours('1'.repeat(1_000_000))).toHaveProperty('issue');
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(5_000);
});
