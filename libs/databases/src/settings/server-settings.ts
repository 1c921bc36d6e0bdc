import { type Form, integer, type Setting, text } from '@penstock/settings';

const MAX_HOST_BYTES = 253;
const MAX_PASSWORD_LENGTH = 100;

/** 1 to so many bytes of UTF-8. */
export const bytes = (max: number, problem?: (given: string) => string | undefined): Form =>
  text({
    maxLength: max,
    problem: (given) =>
      Buffer.byteLength(given) > max ? `must be 1 to ${String(max)} bytes long` : problem?.(given),
  });

/** Where a server is. */
export const SERVER: readonly Setting[] = [
  {
    name: 'host',
    form: bytes(MAX_HOST_BYTES),
    description: 'Hostname or IP address of the server.',
    required: true,
  },
  { name: 'port', form: integer(1, 65_535), description: 'Port number.', required: true },
];

/**
 * Who logs in to which database.
 *
 * @param maxName bytes of a name.
 * @param problem of a username; undefined: none.
 */
export const login = (
  maxName: number,
  problem?: (username: string) => string | undefined,
): readonly Setting[] => [
  { name: 'username', form: bytes(maxName, problem), description: 'Username.', required: true },
  {
    name: 'password',
    form: text({ minLength: 0, maxLength: MAX_PASSWORD_LENGTH, secret: true }),
    description: 'Password.',
  },
  { name: 'database', form: bytes(maxName), description: 'Database name.', required: true },
];
