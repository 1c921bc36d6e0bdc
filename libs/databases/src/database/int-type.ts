import type { IntType } from '@penstock/schema';

/** Integers of a size, all of them. */
export const intType = (bitSize: IntType['bitSize'], unsigned = false): IntType => {
  const bits = BigInt(unsigned ? bitSize : bitSize - 1);
  const maximum = 2n ** bits - 1n;
  return { kind: 'int', bitSize, unsigned, minimum: unsigned ? 0n : -maximum - 1n, maximum };
};
