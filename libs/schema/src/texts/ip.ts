const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const GROUP = /^[\da-f]{1,4}$/i;
const GROUPS = 8;

/**
 * The written form of an address without prefix length, port or zone: IPv4 as it is, IPv6 as in RFC 5952
 * (an IPv4-mapped one ends in dotted form); undefined for anything else.
 */
export const canonicalIp = (text: string): string | undefined => {
  if (IPV4.test(text)) return text;
  const groups = parseGroups(text);
  return groups && writeGroups(groups);
};

/** The eight numbers of an IPv6 address. */
const parseGroups = (text: string): number[] | undefined => {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const before = parseRun(head, tail === undefined);
  const after = parseRun(tail ?? '', true);
  if (!before || !after) return undefined;
  const missing = GROUPS - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...before, ...Array<number>(missing).fill(0), ...after];
};

/** Groups between colons; the last may be an IPv4 address where `last` is set: the address ends here. */
const parseRun = (text: string, last: boolean): number[] | undefined => {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (GROUP.test(part)) groups.push(parseInt(part, 16));
    else if (last && index === parts.length - 1 && IPV4.test(part)) groups.push(...pairs(part));
    else return undefined;
  }
  return groups;
};

const pairs = (ipv4: string): [number, number] => {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
};

const isMapped = (groups: readonly number[]): boolean =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

const writeGroups = (groups: readonly number[]): string => {
  if (isMapped(groups)) {
    const octets = groups.slice(6).flatMap((group) => [group >> 8, group & 255]);
    return `::ffff:${octets.join('.')}`;
  }
  const written = groups.map((group) => group.toString(16));
  const { start, length } = longestZeros(groups);
  if (length < 2) return written.join(':');
  return `${written.slice(0, start).join(':')}::${written.slice(start + length).join(':')}`;
};

/** The first of the longest runs of zero groups. */
const longestZeros = (groups: readonly number[]): { start: number; length: number } => {
  let longest = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { start: index + 1 - length, length };
  }
  return longest;
};
