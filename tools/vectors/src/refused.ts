import { Invalid, JsonSyntaxError } from '@penstock/schema';

/** The result of a refused submission. */
export const REFUSED = 'refused';

/** The result of `make`, or {@link REFUSED}. Rethrows other errors. */
export const orRefused = <T>(make: () => T): T | typeof REFUSED => {
  try {
    return make();
  } catch (error) {
    if (error instanceof Invalid || error instanceof JsonSyntaxError) return REFUSED;
    throw error;
  }
};
