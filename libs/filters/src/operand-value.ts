import type { Type } from '@penstock/schema';

/** What an operand, as it is read back, is in memory: the same as a value of the type. */
export const operandValue = (type: Type, operand: string): string | number | bigint => {
  switch (type.kind) {
    case 'int':
      return type.bitSize === 64 ? BigInt(operand) : Number(operand);
    case 'float':
      return type.bitSize === 32 ? Math.fround(Number(operand)) : Number(operand);
    case 'year':
      return Number(operand);
    default:
      return operand;
  }
};
