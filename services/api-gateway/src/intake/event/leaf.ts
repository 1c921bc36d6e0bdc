import { BYTE } from './bytes';

const { QUOTE } = BYTE;

/**
 * A member of an event that is not an object, as the JSON text that will be written: strings normalised (NFC)
 * and spelled plainly. Two things that no member may be stand for themselves: {@link CONTAINER}, {@link UNCLEAN}.
 */
export type Leaf = string;

/** An object or an array where a scalar is expected. */
export const CONTAINER: Leaf = '{}';

/** A string with NUL or a lone surrogate. */
export const UNCLEAN: Leaf = '\0';

export const isText = (leaf: Leaf): boolean => leaf.charCodeAt(0) === QUOTE;

/** The string that a text leaf stands for. */
export const textOf = (leaf: Leaf): string =>
  leaf.includes('\\') ? (JSON.parse(leaf) as string) : leaf.slice(1, -1);

export const leafOf = (text: string): Leaf => JSON.stringify(text);
