import { isIPv4, isIPv6 } from 'node:net';
import { IPv6 } from 'ipaddr.js';

export type AddressPolicy = 'keep' | 'mask' | 'drop';

/** Sent as the address to request that none be recorded. */
export const WITHHELD = '0.0.0.0';

/**
 * Lowest first octet that is no unicast address: multicast and reserved ranges begin here; 0 is "this network". Source:
 * RFC 1112, RFC 6890.
 */
const FIRST_MULTICAST = 224;

/**
 * Parses a unicast address into the recorded form: IPv4-mapped addresses as IPv4, IPv6 by RFC 5952.
 *
 * @returns undefined for anything else, also for an address with a zone, which is meaningless on another host.
 */
export const plainAddress = (text: string): string | undefined => {
  if (isIPv4(text)) return isUnicast(text) ? text : undefined;
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const address = IPv6.parse(text);
  if (address.isIPv4MappedAddress()) return plainAddress(address.toIPv4Address().toString());
  const range = address.range();
  return range === 'unspecified' || range === 'multicast' ? undefined : address.toRFC5952String();
};

const isUnicast = (text: string): boolean => {
  const first = Number(text.slice(0, text.indexOf('.')));
  return first > 0 && first < FIRST_MULTICAST;
};

/** Applies the source's address policy: keeps, masks (to /24, IPv6 to /48) or drops the address. */
export const byPolicy = (address: string, policy: AddressPolicy): string | undefined => {
  if (policy === 'keep') return address;
  return policy === 'mask' ? masked(address) : undefined;
};

const masked = (address: string): string => {
  if (isIPv4(address)) return `${address.slice(0, address.lastIndexOf('.'))}.0`;
  const [a = 0, b = 0, c = 0] = IPv6.parse(address).parts;
  return new IPv6([a, b, c, 0, 0, 0, 0, 0]).toRFC5952String();
};
