import { isIPv4, isIPv6 } from 'node:net';
import { IPv6 } from 'ipaddr.js';

export type AddressPolicy = 'keep' | 'mask' | 'drop';

/** The address that means: do not record one. */
export const WITHHELD = '0.0.0.0';

/** First octets that no host has: "this network", multicast and reserved. Source: RFC 1112, RFC 6890. */
const FIRST_MULTICAST = 224;

/**
 * A unicast address as it is recorded: IPv4-mapped addresses as IPv4, IPv6 by RFC 5952.
 *
 * @returns undefined for anything else; also for one with a zone, which means nothing on another host.
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

/** The address as the source's setting lets it be recorded: masked to /24, of IPv6 to /48. */
export const byPolicy = (address: string, policy: AddressPolicy): string | undefined => {
  if (policy === 'keep') return address;
  return policy === 'mask' ? masked(address) : undefined;
};

const masked = (address: string): string => {
  if (isIPv4(address)) return `${address.slice(0, address.lastIndexOf('.'))}.0`;
  const [a = 0, b = 0, c = 0] = IPv6.parse(address).parts;
  return new IPv6([a, b, c, 0, 0, 0, 0, 0]).toRFC5952String();
};
