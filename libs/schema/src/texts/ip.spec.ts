import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { canonicalIp } from './ip';

it.each([
  ['0.0.0.0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
  ['::', '::'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
  ['::FFFF:102:304', '::ffff:1.2.3.4'],
  ['0:0:0:0:0:ffff:0:0', '::ffff:0.0.0.0'],
  ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
  ['0001::', '1::'],
])('%s is written %s', (text, written) => expect(canonicalIp(text)).toBe(written));

it.each([
  ...[
    '',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '1.2.3.256',
    '1.2.3.4/8',
    '1.2.3.4:80',
    ' 1.2.3.4',
    '1.2.3.4\n',
  ],
  ...[':', ':::', '1:', ':1', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', '1::2:3:4:5:6:7:8'],
  ...['12345::', 'g::', '::1/64', '[::1]', 'fe80::1%eth0', '::1.2.3', '::01.2.3.4', '1.2.3.4::'],
  ...['::1.2.3.4:5', '1:2:3:4:5:6:7:1.2.3.4', '0x1.2.3.4', 'localhost'],
])('%j is refused', (text) => expect(canonicalIp(text)).toBeUndefined());

/** RFC 5952 by another hand: the host of a URL (which has no dotted form for IPv4-mapped addresses). */
const urlForm = (address: string): string => new URL(`http://[${address}]/`).hostname.slice(1, -1);

it('writes IPv6 as URLs do', () =>
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const written = canonicalIp(address) ?? '';
      expect(urlForm(written)).toBe(urlForm(address));
      if (!written.includes('.')) expect(written).toBe(urlForm(address));
    }),
  ));

it('accepts what node:net accepts', () =>
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9a-f:.]{1,12}$/), (text) => {
      if (!/^[\d.]*$/.test(text)) expect(canonicalIp(text) !== undefined).toBe(isIPv6(text));
    }),
    { numRuns: 500 },
  ));
