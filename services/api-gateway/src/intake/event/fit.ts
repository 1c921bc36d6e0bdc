import type { IntType, Type } from '@penstock/schema';
import { Decimal } from 'decimal.js';
import { type Leaf, leafOf, textOf, isText } from './leaf';
import { plainAddress } from './addresses';

/** Converts a received value to the text that is written; undefined when the value does not fit the member. */
export type Fit = (leaf: Leaf) => Leaf | undefined;

const NUMBER = /^-?\d/;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

const fitText: Fit = (leaf) => (isText(leaf) ? leaf : undefined);

const fitBoolean: Fit = (leaf) => (leaf === 'true' || leaf === 'false' ? leaf : undefined);

const fitInt = ({ bitSize, minimum, maximum }: IntType): Fit => {
  return (leaf) => {
    const text = bitSize === 64 && isText(leaf) ? textOf(leaf) : leaf;
    if (!INTEGER.test(text) || text.length > 20) return undefined;
    const value = BigInt(text);
    return value >= minimum && value <= maximum ? String(value) : undefined;
  };
};

const fitFloat: Fit = (leaf) => {
  if (!NUMBER.test(leaf)) return undefined;
  const value = Number(leaf);
  return Number.isFinite(value) ? String(value === 0 ? 0 : value) : undefined;
};

const DENSITY_DIGITS = 2;
const MAX_DENSITY = 9.99;

/** Rounds, where other members refuse: screens report densities such as 2.625. */
const fitDensity: Fit = (leaf) => {
  if (!NUMBER.test(leaf)) return undefined;
  const value = new Decimal(leaf).toDecimalPlaces(DENSITY_DIGITS, Decimal.ROUND_HALF_UP);
  return value.isPositive() && !value.isZero() && value.lessThanOrEqualTo(MAX_DENSITY)
    ? value.toFixed()
    : undefined;
};

const fitAddress: Fit = (leaf) => {
  const address = isText(leaf) ? plainAddress(textOf(leaf)) : undefined;
  return address === undefined ? undefined : leafOf(address);
};

/** Chooses the conversion for a member. @throws Error on a kind that no member of the context has. */
export const fitFor = (path: string, type: Type): Fit => {
  switch (type.kind) {
    case 'string':
      return fitText;
    case 'boolean':
      return fitBoolean;
    case 'int':
      return fitInt(type);
    case 'float':
      return fitFloat;
    case 'decimal':
      return fitDensity;
    case 'ip':
      return fitAddress;
    default:
      throw new Error(`${path} is of kind ${type.kind}`);
  }
};
