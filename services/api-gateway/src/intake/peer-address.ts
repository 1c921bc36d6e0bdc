import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { plainAddress } from './event/addresses';

/** Returns the address that a request comes from, unicast and in its recorded form; undefined when it is unknown. */
export type PeerAddress = (request: IncomingMessage) => string | undefined;

/**
 * Trusts `X-Forwarded-For` as far as trusted proxies wrote it: returns the last address in it that is not a proxy's.
 *
 * @param trusted CIDR ranges.
 */
export const peerAddress = (trusted: readonly string[]): PeerAddress => {
  if (trusted.length === 0) return ({ socket }) => plainAddress(socket.remoteAddress ?? '');
  const proxies = blockList(trusted);
  return ({ socket, headers }) => {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    let address = plainAddress(socket.remoteAddress ?? '');
    while (address !== undefined && contains(proxies, address) && forwarded.length > 0) {
      const before = plainAddress((forwarded.pop() ?? '').trim());
      if (before === undefined) return address;
      address = before;
    }
    return address;
  };
};

const contains = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const blockList = (ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
};
