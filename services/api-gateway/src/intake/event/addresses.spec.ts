import { byPolicy, plainAddress } from './addresses';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['127.0.0.1', '127.0.0.1'],
  ['223.255.255.255', '223.255.255.255'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['fe80::1', 'fe80::1'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::FFFF:102:304', '1.2.3.4'],
  ['0.0.0.0', undefined],
  ['0.1.2.3', undefined],
  ['224.0.0.1', undefined],
  ['255.255.255.255', undefined],
  ['::', undefined],
  ['ff02::1', undefined],
  ['::ffff:224.0.0.1', undefined],
  ['fe80::1%eth0', undefined],
  ['1.2.3', undefined],
  ['01.2.3.4', undefined],
  ['1.2.3.4:80', undefined],
  ['1.2.3.0/24', undefined],
  ['', undefined],
])('%s is recorded as %s', (text, expected) => {
  expect(plainAddress(text)).toBe(expected);
});

it.each([
  ['203.0.113.7', 'keep', '203.0.113.7'],
  ['203.0.113.7', 'mask', '203.0.113.0'],
  ['2001:db8:1:2::5', 'mask', '2001:db8:1::'],
  ['203.0.113.7', 'drop', undefined],
] as const)('%s under %s is %s', (address, policy, expected) => {
  expect(byPolicy(address, policy)).toBe(expected);
});
