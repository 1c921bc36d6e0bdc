import { isFromThisMachine } from './is-from-this-machine';

it.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['128.0.0.1', false],
  ['126.255.255.255', false],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['::2', false],
  ['', false],
  [undefined, false],
])('a request of %s: %p', (remoteAddress, expected) => {
  expect(isFromThisMachine({ socket: { remoteAddress }, headers: {} })).toBe(expected);
});

it.each([
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
])('a request with the header %s comes from a proxy', (name) => {
  const headers = { [name]: '' };
  expect(isFromThisMachine({ socket: { remoteAddress: '127.0.0.1' }, headers })).toBe(false);
});
