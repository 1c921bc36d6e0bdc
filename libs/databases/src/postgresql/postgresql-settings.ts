import type { JsonObject } from '@penstock/schema';
import {
  checkedBy,
  type Form,
  integer,
  members,
  readNumber,
  readOptionalText,
  readText,
  text,
  word,
} from '@penstock/settings';

const MAX_HOST_BYTES = 253;
/** Source: PostgreSQL, NAMEDATALEN. */
const MAX_NAME_BYTES = 63;
const MAX_PASSWORD_LENGTH = 100;

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-full'] as const;

/** Whether a connection to a PostgreSQL is encrypted, and the server has to prove who it is. */
export type SslMode = (typeof SSL_MODES)[number];

/** 1 to so many bytes of UTF-8. */
const bytes = (max: number, problem?: (given: string) => string | undefined): Form =>
  text({
    maxLength: max,
    problem: (given) =>
      Buffer.byteLength(given) > max ? `must be 1 to ${String(max)} bytes long` : problem?.(given),
  });

const schemaName = bytes(MAX_NAME_BYTES, (given) => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(given))
    return 'must begin with a letter or _ and hold only letters, digits and _';
  return given.startsWith('pg_') ? 'must not begin with pg_' : undefined;
});

/** What settings of a PostgreSQL may hold. */
export const postgresqlSettings = members(
  {
    name: 'host',
    form: bytes(MAX_HOST_BYTES),
    description: 'Hostname or IP address of the server.',
    required: true,
  },
  { name: 'port', form: integer(1, 65_535), description: 'Port number.', required: true },
  { name: 'username', form: bytes(MAX_NAME_BYTES), description: 'Username.', required: true },
  {
    name: 'password',
    form: text({ minLength: 0, maxLength: MAX_PASSWORD_LENGTH, secret: true }),
    description: 'Password.',
  },
  { name: 'database', form: bytes(MAX_NAME_BYTES), description: 'Database name.', required: true },
  { name: 'schema', form: schemaName, description: 'Schema in the database.', required: true },
  {
    name: 'sslMode',
    form: word(...SSL_MODES),
    description: 'Whether the connection is encrypted, and the server has to prove who it is.',
  },
);

/** Checks the form of the settings of a PostgreSQL. It throws `Invalid`. */
export const checkPostgresqlSettings = checkedBy(postgresqlSettings);

/** Settings of a PostgreSQL that have been checked, ready to connect with. */
export interface PostgresqlTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly schema: string;
  readonly sslMode: SslMode;
}

/** The server, the user and the schema in checked settings. */
export const postgresqlTargetOf = (settings: JsonObject): PostgresqlTarget => ({
  host: readText(settings, 'host'),
  port: readNumber(settings, 'port'),
  username: readText(settings, 'username'),
  password: readOptionalText(settings, 'password') ?? '',
  database: readText(settings, 'database'),
  schema: readText(settings, 'schema'),
  sslMode: (readOptionalText(settings, 'sslMode') ?? 'prefer') as SslMode,
});
