import { BYTE } from './bytes';

const { QUOTE } = BYTE;

/**
 * A scalar member of an event as the JSON text that will be written: strings normalised (NFC), without needless
 * escapes. {@link CONTAINER} and {@link UNCLEAN} stand for values that are not accepted.
 */
export type Leaf = string;

/** An object or an array where a scalar is expected. */
export const CONTAINER: Leaf = '{}';

/** A string with NUL or a lone surrogate. */
export const UNCLEAN: Leaf = '\0';

export const isText = (leaf: Leaf): boolean => leaf.charCodeAt(0) === QUOTE;

/** Decodes the string of a text leaf. */
export const textOf = (leaf: Leaf): string =>
  leaf.includes('\\') ? (JSON.parse(leaf) as string) : leaf.slice(1, -1);

export const leafOf = (text: string): Leaf => JSON.stringify(text);
