/** Whether the long forms run: `npm run test:long`. */
export const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';

/** Chooses the size for the normal or the long form. */
export const sized = <T>(bounded: T, long: T): T => (IS_LONG ? long : bounded);

/** The installations that a spec runs on: the first in the normal form, all in the long one. */
export const formsOf = <T>(first: T, ...others: readonly T[]): readonly T[] =>
  sized([first], [first, ...others]);
