import { writeTzif } from './tzif';

const winter = { offsetSeconds: 3600, isDaylightSaving: false, abbreviation: 'CET' };
const summer = { offsetSeconds: 7200, isDaylightSaving: true, abbreviation: 'CEST' };

const HEADER = '545a6966' + '32' + '00'.repeat(15);
const counts = (transitions: number, types: number, abbreviationBytes: number): string =>
  [0, 0, 0, transitions, types, abbreviationBytes]
    .map((count) => count.toString(16).padStart(8, '0'))
    .join('');
const UNREAD = HEADER + counts(0, 1, 1) + '00'.repeat(7);
const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

it('writes each type once, and a transition for each period but the first', () => {
  const file = writeTzif([
    { ...winter, startSeconds: -10 },
    { ...summer, startSeconds: -1 },
    { ...winter, startSeconds: 256 },
  ]);
  expect(file.toString('hex')).toBe(
    UNREAD +
      (HEADER + counts(2, 2, 9)) +
      ('ffffffffffffffff' + '0000000000000100') +
      ('01' + '00') +
      ('00000e10' + '00' + '00' + '00001c20' + '01' + '04') +
      hex('CET\0CEST\0') +
      hex('\n\n'),
  );
});

it('writes a zone whose clocks never changed', () => {
  const file = writeTzif([{ ...winter, offsetSeconds: -3600, startSeconds: -10 }]);
  expect(file.toString('hex')).toBe(
    UNREAD + HEADER + counts(0, 1, 4) + 'fffff1f0' + '00' + '00' + hex('CET\0') + hex('\n\n'),
  );
});
