import { BlockList } from 'node:net';

/** Whether an address is before another one of its family. */
const isBefore = (one: string, other: string): boolean => {
  const family = one.includes(':') ? 'ipv6' : 'ipv4';
  const addresses = new BlockList();
  try {
    addresses.addRange(one, other, family);
  } catch {
    return false;
  }
  return one !== other;
};

/** The order of addresses, those of IPv4 first. */
export const compareIps = (one: string, other: string): number => {
  if (one === other) return 0;
  const [isLong, isOtherLong] = [one.includes(':'), other.includes(':')];
  if (isLong !== isOtherLong) return isLong ? 1 : -1;
  return isBefore(one, other) ? -1 : 1;
};
