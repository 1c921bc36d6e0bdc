/** A value of the data section; numbers are written as doubles. */
export type MmdbValue =
  | string
  | number
  | readonly string[]
  | { readonly [name: string]: MmdbValue };

/** A network as address bytes and prefix length, with its record. */
export interface MmdbNetwork {
  readonly address: readonly number[];
  readonly prefix: number;
  readonly value: MmdbValue;
}

/** Metadata of a database. */
export interface MmdbOptions {
  readonly type?: string;
  readonly ipVersion?: 4 | 6;
  readonly formatVersion?: number;
}

const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const SEPARATOR = Buffer.alloc(16);
const RECORD_BITS = 32;
const NODE_BYTES = 8;

const STRING = 2;
const DOUBLE = 3;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
/** The number of an extended type is written minus 7, in a byte of its own. */
const [EXTENDED, FIRST_EXTENDED, UINT64, ARRAY] = [0, 7, 9, 11];

const control = (type: number, size: number): Buffer => {
  if (size > 28) throw new RangeError('longer values are not needed by any test');
  return type <= FIRST_EXTENDED
    ? Buffer.from([(type << 5) | size])
    : Buffer.from([(EXTENDED << 5) | size, type - FIRST_EXTENDED]);
};

const unsigned = (type: number, value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  const size = type === UINT16 ? 2 : 4;
  return Buffer.concat([control(type, size), bytes.subarray(4 - size)]);
};

const mapOf = (members: readonly (readonly [string, Buffer])[]): Buffer =>
  Buffer.concat([
    control(MAP, members.length),
    ...members.flatMap(([name, value]) => [written(name), value]),
  ]);

const isTexts = (value: MmdbValue): value is readonly string[] => Array.isArray(value);

const written = (value: MmdbValue): Buffer => {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(STRING, text.length), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([control(DOUBLE, 8), bytes]);
  }
  if (isTexts(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map(written)]);
  return mapOf(Object.entries(value).map(([name, member]) => [name, written(member)]));
};

/** A record of a node: another node, the offset of a value, or empty. */
type Branch = TreeNode | number | undefined;
type TreeNode = [zero: Branch, one: Branch];

const bitAt = (address: readonly number[], index: number): 0 | 1 =>
  ((address[index >> 3] ?? 0) >> (7 - (index & 7))) & 1 ? 1 : 0;

const insert = (root: TreeNode, address: readonly number[], prefix: number, at: number): void => {
  let node = root;
  for (let index = 0; index < prefix - 1; index += 1) {
    const bit = bitAt(address, index);
    const next = node[bit];
    node = Array.isArray(next) ? next : (node[bit] = [undefined, undefined]);
  }
  node[bitAt(address, prefix - 1)] = at;
};

const nodesOf = (root: TreeNode): TreeNode[] => {
  const nodes = [root];
  for (const node of nodes)
    for (const branch of node) if (Array.isArray(branch)) nodes.push(branch);
  return nodes;
};

const treeOf = (nodes: readonly TreeNode[]): Buffer => {
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const tree = Buffer.alloc(nodes.length * NODE_BYTES);
  const recordOf = (branch: Branch): number => {
    if (Array.isArray(branch)) return numbers.get(branch) ?? 0;
    return branch === undefined ? nodes.length : nodes.length + SEPARATOR.length + branch;
  };
  nodes.forEach(([zero, one], index) => {
    tree.writeUInt32BE(recordOf(zero), index * NODE_BYTES);
    tree.writeUInt32BE(recordOf(one), index * NODE_BYTES + NODE_BYTES / 2);
  });
  return tree;
};

const metadataOf = (nodes: number, { type, ipVersion, formatVersion }: Required<MmdbOptions>) =>
  mapOf([
    ['node_count', unsigned(UINT32, nodes)],
    ['record_size', unsigned(UINT16, RECORD_BITS)],
    ['ip_version', unsigned(UINT16, ipVersion)],
    ['database_type', written(type)],
    ['languages', written(['en'])],
    ['binary_format_major_version', unsigned(UINT16, formatVersion)],
    ['binary_format_minor_version', unsigned(UINT16, 0)],
    ['build_epoch', Buffer.concat([control(UINT64, 1), Buffer.from([1])])],
    ['description', written({ en: 'test' })],
  ]);

/** Maps an IPv4 network into a tree of IPv6, where it follows 96 zero bits. */
const placed = ({ address, prefix, ...network }: MmdbNetwork, ipVersion: 4 | 6): MmdbNetwork =>
  ipVersion === 6 && address.length === 4
    ? { address: [...new Array<number>(12).fill(0), ...address], prefix: prefix + 96, ...network }
    : { address, prefix, ...network };

/** Builds a MaxMind database file. Source: MaxMind DB File Format Specification 2.0. */
export const mmdbFile = (
  networks: readonly MmdbNetwork[],
  { type = 'GeoLite2-City', ipVersion = 6, formatVersion = 2 }: MmdbOptions = {},
): Buffer => {
  const root: TreeNode = [undefined, undefined];
  const values: Buffer[] = [];
  let length = 0;
  for (const network of networks) {
    const { address, prefix, value } = placed(network, ipVersion);
    insert(root, address, prefix, length);
    const bytes = written(value);
    values.push(bytes);
    length += bytes.length;
  }
  const nodes = nodesOf(root);
  const metadata = metadataOf(nodes.length, { type, ipVersion, formatVersion });
  return Buffer.concat([treeOf(nodes), SEPARATOR, ...values, MARKER, metadata]);
};
