import { keptConsole, MAX_CONSOLE_BYTES } from './console-text';

const long = (length: number, end = ''): string => 'x'.repeat(length) + end;

it.each<[what: string, written: string, kept: string]>([
  ['nothing', '', ''],
  ['a line', 'Zoë 😀\n', 'Zoë 😀\n'],
  ['what just fits', long(MAX_CONSOLE_BYTES), long(MAX_CONSOLE_BYTES)],
  ['one byte more', long(MAX_CONSOLE_BYTES + 1), long(MAX_CONSOLE_BYTES)],
  [
    'a character that just fits',
    long(MAX_CONSOLE_BYTES - 4, '😀'),
    long(MAX_CONSOLE_BYTES - 4, '😀'),
  ],
  ['a character that does not fit', long(MAX_CONSOLE_BYTES - 3, '😀'), long(MAX_CONSOLE_BYTES - 3)],
  ['half of a character', 'a\ud83d', 'a\ufffd'],
])('cuts to the limit: %s', (_, written, kept) => {
  expect(keptConsole(written)).toBe(kept);
});
