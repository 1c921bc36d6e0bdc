import { canonicalDecimal, canonicalIp, canonicalUuid, type Type } from '@penstock/schema';

/** Zeros in front of a whole number, and a plus sign, which canonical numbers do not have. */
const PADDING = /^(?:\+|(-))?0*(?=\d)/;

/** The canonical form of the text of a value; undefined: it is none of the type. */
const canonical = ({ kind }: Type, text: string): string | undefined => {
  if (kind === 'uuid') return canonicalUuid(text);
  if (kind === 'ip') return canonicalIp(text);
  if (kind === 'int' || kind === 'decimal') return canonicalDecimal(text.replace(PADDING, '$1'));
  return text;
};

/**
 * The texts by which values of an identifier are blocked: values are compared by their canonical form, however those that are
 * blocked were written.
 */
export const blockedTexts = (type: Type, values: Iterable<string>): ReadonlySet<string> => {
  const texts = [...values];
  return new Set([...texts, ...texts.flatMap((text) => canonical(type, text) ?? [])]);
};
