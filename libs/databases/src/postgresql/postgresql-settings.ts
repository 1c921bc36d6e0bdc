import type { JsonObject } from '@penstock/schema';
import {
  checkedBy,
  members,
  readNumber,
  readOptionalText,
  readText,
  word,
} from '@penstock/settings';
import { bytes, login, SERVER } from '../settings/server-settings';

/** Source: PostgreSQL, NAMEDATALEN. */
const MAX_NAME_BYTES = 63;

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-full'] as const;

/** Whether a connection to a PostgreSQL is encrypted, and the server has to prove who it is. */
export type SslMode = (typeof SSL_MODES)[number];

const schemaName = bytes(MAX_NAME_BYTES, (given) => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(given))
    return 'must begin with a letter or _ and hold only letters, digits and _';
  return given.startsWith('pg_') ? 'must not begin with pg_' : undefined;
});

/** What settings of a PostgreSQL may hold. */
export const postgresqlSettings = members(
  ...SERVER,
  ...login(MAX_NAME_BYTES),
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
