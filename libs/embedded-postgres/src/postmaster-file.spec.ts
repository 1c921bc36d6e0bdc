import { parsePostmasterFile } from './postmaster-file';

const file = (status: string): string =>
  `4711\n/data/postgres\n1790000000\n54321\n\n127.0.0.1\n  1 2\n${status}\n`;

it.each([
  ['of a ready server', file('ready   '), { pid: 4711, port: 54_321, ready: true }],
  ['of a server that starts', file('starting'), { pid: 4711, port: 54_321, ready: false }],
  ['of a server that stops', file('stopping'), { pid: 4711, port: 54_321, ready: false }],
  ['without its last line', '4711\n/d\n1\n54321\n', { pid: 4711, port: 54_321, ready: false }],
  ['cut short', '4711\n/data/postgres\n', undefined],
  ['empty', '', undefined],
  ['of a single-user server', '-4711\n/d\n1\n54321\n', undefined],
  ['of something else', 'hello\nworld\n1\nport\n', undefined],
])('reads a file %s', (_, text, expected) => expect(parsePostmasterFile(text)).toEqual(expected));
