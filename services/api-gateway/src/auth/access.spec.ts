import { includes, SCOPES } from './access';

/** Independent of the order in which the scopes are declared. */
const INCLUDED: Readonly<Record<string, readonly string[]>> = {
  read: ['read'],
  write: ['read', 'write'],
  admin: ['read', 'write', 'admin'],
  mcp: ['mcp'],
};

it.each(SCOPES.flatMap((held) => SCOPES.map((needed) => [held, needed] as const)))(
  'a key of scope %s where %s is needed',
  (held, needed) => {
    expect(includes(held, needed)).toBe(INCLUDED[held]?.includes(needed));
  },
);
