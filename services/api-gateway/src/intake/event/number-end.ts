import { BYTE } from './bytes';

const { LOWER_E, MINUS, NINE, PLUS, POINT, UPPER_E, ZERO } = BYTE;

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= ZERO && byte <= NINE;

/** Finds the index after the number that begins at `at`; -1 when there is none by the grammar of RFC 8259. */
export const numberEnd = (bytes: Buffer, at: number): number => {
  let end = bytes[at] === MINUS ? at + 1 : at;
  end = bytes[end] === ZERO ? end + 1 : digitsEnd(bytes, end);
  if (end !== -1 && bytes[end] === POINT) end = digitsEnd(bytes, end + 1);
  if (end === -1 || (bytes[end] !== LOWER_E && bytes[end] !== UPPER_E)) return end;
  const signed = bytes[end + 1] === PLUS || bytes[end + 1] === MINUS;
  return digitsEnd(bytes, end + (signed ? 2 : 1));
};

const digitsEnd = (bytes: Buffer, at: number): number => {
  let end = at;
  while (isDigit(bytes[end])) end += 1;
  return end === at ? -1 : end;
};
