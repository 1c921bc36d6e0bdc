import { IPv4, IPv6, parse, parseCIDR } from 'ipaddr.js';

type Address = IPv4 | IPv6;
type Range = [Address, number];

/** The platform service of one cloud answers on a public address, to every machine inside. */
const PLATFORM_SERVICES = new Set(['168.63.129.16']);

/** Prefixes whose addresses hold an IPv4 address, and the group (of 16 bits) at which it begins. */
const EMBEDDING: readonly { readonly prefix: [IPv6, number]; readonly group: number }[] = [
  { prefix: [IPv6.parse('::ffff:0:0'), 96], group: 6 },
  { prefix: [IPv6.parse('64:ff9b::'), 96], group: 6 },
  { prefix: [IPv6.parse('2002::'), 16], group: 1 },
];

/** All that is assigned to global unicast; everything outside it is special. */
const GLOBAL_UNICAST: [IPv6, number] = [IPv6.parse('2000::'), 3];

/** Which addresses the service may connect to: public ones, and those that the operator allowed. */
export interface EgressRules {
  /** @param address an IPv4 or IPv6 address without a port; anything else is not allowed. */
  allows(address: string): boolean;
}

/**
 * The rules that allow public addresses and the given ranges, and nothing else.
 *
 * @param allow CIDR ranges such as `10.0.0.0/8` or `fd00::/8` that are allowed beside public addresses. An IPv6
 *   address that holds an IPv4 address (mapped, NAT64, 6to4) is judged as that IPv4 address.
 * @throws RangeError naming the range that cannot be read.
 */
export const egressRules = (allow: readonly string[]): EgressRules => {
  const allowed = allow.map(readRange);
  return {
    allows: (text) => {
      const address = readAddress(text);
      if (address === undefined) return false;
      const judged = address instanceof IPv6 ? (embeddedIn(address) ?? address) : address;
      return (
        isPublic(judged) ||
        allowed.some((range) => contains(range, judged) || contains(range, address))
      );
    },
  };
};

const readRange = (text: string): Range => {
  try {
    return parseCIDR(text);
  } catch {
    throw new RangeError(`not a CIDR range: ${text}`);
  }
};

const readAddress = (text: string): Address | undefined => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};

const contains = ([network, bits]: Range, address: Address): boolean =>
  network.kind() === address.kind() && address.match(network, bits);

const embeddedIn = (address: IPv6): IPv4 | undefined => {
  const found = EMBEDDING.find(({ prefix }) => address.match(prefix));
  if (found === undefined) return undefined;
  const at = found.group * 2;
  return new IPv4(address.toByteArray().slice(at, at + 4));
};

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' &&
  (address instanceof IPv4
    ? !PLATFORM_SERVICES.has(address.toString())
    : address.match(GLOBAL_UNICAST));
