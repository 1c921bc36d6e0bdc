import type { IncomingMessage } from 'node:http';
import { peerAddress } from './peer-address';

const request = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

const PROXIES = ['10.0.0.0/8', '2001:db8::/32'];

it.each([
  ['nobody trusted', [], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  ['a peer that is no proxy', PROXIES, '203.0.113.7', '1.2.3.4', '203.0.113.7'],
  ['a proxy', PROXIES, '10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['a proxy of IPv6', PROXIES, '2001:db8::1', '2001:500::5', '2001:500::5'],
  ['a proxy on a socket for both families', PROXIES, '::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['two proxies', PROXIES, '10.0.0.1', '1.2.3.4, 10.9.9.9', '1.2.3.4'],
  ['what the client made up', PROXIES, '10.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4'],
  ['a proxy that sends no header', PROXIES, '10.0.0.1', undefined, '10.0.0.1'],
  ['nonsense', PROXIES, '10.0.0.1', 'bogus', '10.0.0.1'],
  ['only proxies', PROXIES, '10.0.0.1', '10.0.0.2', '10.0.0.2'],
])('%s', (_, trusted, peer, forwarded, expected) => {
  expect(peerAddress(trusted)(request(peer, forwarded))).toBe(expected);
});

it('finds none for a socket without an address', () => {
  expect(peerAddress([])(request(undefined as unknown as string))).toBeUndefined();
});
