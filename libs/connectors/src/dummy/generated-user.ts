import { newRecord, type RecordValue, type Value } from '@penstock/schema';
import type { ApplicationUser } from '../connector/user-source';

const FIRST_NAMES = ['Ada', 'Alan', 'Barbara', 'Edsger', 'Grace', 'Niklaus', 'Tony'];
const LAST_NAMES = ['Hopper', 'Hoare', 'Lovelace', 'Turing', 'Wirth'];
const DRINKS = ['tea', 'beer', 'wine', 'water', null];
const MOVIES = ['Metropolis', 'Modern Times', 'Solaris'];
const CITIES = ['Rome', 'Oslo', 'Lisbon', 'Vienna'];

/** Milliseconds since 1970 of 2024-01-01T00:00:00Z: the user n was changed n seconds later. */
export const USERS_SINCE_MS = Date.UTC(2024, 0, 1);

const turn = <T>(values: readonly T[], n: number): T => values[n % values.length] as T;

const record = (members: Readonly<Record<string, Value | undefined>>): RecordValue =>
  Object.assign(newRecord(), members);

/** Every seventh user has no name. */
const names = (n: number): Record<string, Value> => {
  if (n % 7 === 0) return { firstName: null, lastName: null, fullName: null };
  const [firstName, lastName] = [turn(FIRST_NAMES, n), turn(LAST_NAMES, n)];
  return { firstName, lastName, fullName: `${firstName} ${lastName}` };
};

/** The user n, from 1: always the same, by the schema of the users that are read. */
export const generatedUser = (n: number): ApplicationUser => ({
  id: `dummy-${String(n)}`,
  updatedAt: new Date(USERS_SINCE_MS + n * 1_000).toISOString().replace('.000Z', 'Z'),
  values: record({
    dummyId: `dummy-${String(n)}`,
    email: `user-${String(n)}@example.com`,
    ...names(n),
    favouriteDrink: turn(DRINKS, n),
    ...(n % 2 === 0 && { favourite_movie: turn(MOVIES, n) }),
    address: record({
      street: `${String(n)} Main Street`,
      postal_code: String(10_000 + (n % 90_000)),
      city: turn(CITIES, n),
    }),
  }),
});
