import { egressRules } from './egress-rules';

describe('without an allowed range', () => {
  const rules = egressRules([]);

  it.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.255'],
    ['private', '10.0.0.0'],
    ['private', '10.255.255.255'],
    ['private', '172.16.0.0'],
    ['private', '172.31.255.255'],
    ['private', '192.168.0.0'],
    ['private', '192.168.255.255'],
    ['carrier-grade NAT', '100.64.0.0'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['metadata of a cloud in carrier-grade NAT', '100.100.100.200'],
    ['link-local', '169.254.0.0'],
    ['link-local', '169.254.255.255'],
    ['metadata', '169.254.169.254'],
    ['metadata', '192.0.0.192'],
    ['platform service on a public address', '168.63.129.16'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['relay of 6to4', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::7f00:1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped private', '::ffff:10.0.0.1'],
    ['mapped metadata', '::ffff:169.254.169.254'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
    ['NAT64 of private', '64:ff9b::c0a8:101'],
    ['NAT64 of metadata', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::808:808'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['6to4 of private', '2002:a00:1::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['discard', '100::1'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fdff:ffff::1'],
    ['metadata', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local', 'febf::1'],
    ['site-local', 'fec0::1'],
    ['documentation', '2001:db8::1'],
    ['multicast', 'ff02::1'],
    ['outside of what is assigned', '4000::1'],
    ['no address', 'localhost'],
    ['no address', ''],
  ])('%s %s is refused', (_, address) => {
    expect(rules.allows(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
    '2002:101:101::1',
  ])('public %s is allowed', (address) => {
    expect(rules.allows(address)).toBe(true);
  });
});

it.each([
  ['10.1.0.0/16', '10.1.255.255', true],
  ['10.1.0.0/16', '10.2.0.0', false],
  ['10.1.0.0/16', '::ffff:10.1.0.1', true],
  ['10.1.0.0/16', '64:ff9b::10.1.0.1', true],
  ['127.0.0.0/8', '127.0.0.1', true],
  ['127.0.0.0/8', '::1', false],
  ['::1/128', '::1', true],
  ['::1/128', '127.0.0.1', false],
  ['fd00::/8', 'fd00:ec2::254', true],
  ['fd00::/8', 'fc00::1', false],
  ['169.254.169.254/32', '169.254.169.254', true],
  ['168.63.129.16/32', '168.63.129.16', true],
])('with %s allowed, %s is allowed: %s', (range, address, allowed) => {
  expect(egressRules([range]).allows(address)).toBe(allowed);
});

it.each(['10.0.0.0', '10.0.0.0/33', 'example.com/8', ''])('"%s" is not a range', (range) => {
  expect(() => egressRules(['10.0.0.0/8', range])).toThrow(
    new RangeError(`not a CIDR range: ${range}`),
  );
});
