import { toUSVString } from 'node:util';

/** A text as the server has it: halves of surrogate pairs are all the same to it. */
export const wellFormed = (text: string): string => toUSVString(text);

/** As {@link wellFormed}, where there is a text. */
export const wellFormedCell = (cell: string | null): string | null =>
  cell === null ? null : wellFormed(cell);
