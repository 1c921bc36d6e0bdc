import { parseFloatText, type Type } from '@penstock/schema';

/** What an operand, as it is read back, is in memory: the same as a value of the type. */
export const operandValue = (type: Type, operand: string): string | number | bigint => {
  if (type.kind === 'int') return type.bitSize === 64 ? BigInt(operand) : Number(operand);
  if (type.kind === 'float') return parseFloatText(operand, type.bitSize) ?? NaN;
  return type.kind === 'year' ? Number(operand) : operand;
};
