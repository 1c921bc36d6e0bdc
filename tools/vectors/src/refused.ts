import { Invalid, JsonSyntaxError } from '@penstock/schema';

/** Stands for a submission that was refused. */
export const REFUSED = 'refused';

/** What `make` gives, or {@link REFUSED}; what is thrown for any other reason goes on. */
export const orRefused = <T>(make: () => T): T | typeof REFUSED => {
  try {
    return make();
  } catch (error) {
    if (error instanceof Invalid || error instanceof JsonSyntaxError) return REFUSED;
    throw error;
  }
};
