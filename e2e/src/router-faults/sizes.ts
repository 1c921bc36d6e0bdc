/** Whether the long forms run: `npm run test:long`. */
export const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';

/** Chooses the size for the normal or the long form. */
export const sized = <T>(bounded: T, long: T): T => (IS_LONG ? long : bounded);
