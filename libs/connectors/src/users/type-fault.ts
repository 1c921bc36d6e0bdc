import type { ApplicationUser } from '../connector/user-source';

/** The fault of a user whose properties of these names are not of the types that the schema has; nothing without names. */
export const typeFault = (names: readonly string[]): Pick<ApplicationUser, 'fault'> =>
  names.length === 0 ? {} : { fault: `not of the type that the schema has: ${names.join(', ')}` };
