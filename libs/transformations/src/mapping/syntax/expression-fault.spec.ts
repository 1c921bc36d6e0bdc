import { position } from './expression-fault';

it.each<[text: string, at: number, expected: string]>([
  ['', 0, 'line 1, column 1'],
  ['abc', 2, 'line 1, column 3'],
  ['"😀" x', 5, 'line 1, column 5'],
  ['a\nbc', 3, 'line 2, column 2'],
  ['a\r\nbc', 3, 'line 2, column 1'],
  ['a\rb\n\nc', 5, 'line 4, column 1'],
])('of %j at %i is %s', (text, at, expected) => {
  expect(position(text, at)).toBe(expected);
});
