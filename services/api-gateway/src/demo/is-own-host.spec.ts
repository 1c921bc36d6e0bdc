import { isOwnHost } from './is-own-host';

it.each([
  ['127.0.0.1:8080', true],
  ['127.0.0.1', true],
  ['192.168.1.5:80', true],
  ['[::1]:8080', true],
  ['[::1]', true],
  ['localhost:8080', true],
  ['LOCALHOST', true],
  ['localhost.example.com', false],
  ['127.0.0.1.example.com:8080', false],
  ['example.com', false],
  ['example.com:127', false],
  ['[example.com]', false],
  ['::1', false],
  ['', false],
  [undefined, false],
])('%s: %p', (header, expected) => {
  expect(isOwnHost(header)).toBe(expected);
});
