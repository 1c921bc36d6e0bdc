import type { JsonObject } from '@penstock/schema';
import {
  checkedBy,
  members,
  readNumber,
  readOptionalText,
  readText,
  word,
} from '@penstock/settings';
import { login, SERVER } from '../settings/server-settings';

/** Source: MariaDB and MySQL, a name has 64 characters, a user 80 or 32, of up to four bytes each. */
const MAX_NAME_BYTES = 255;

const TLS_MODES = ['disabled', 'preferred', 'required', 'verify'] as const;

/** Whether a connection to a MySQL is encrypted, and the server has to prove who it is. */
export type MysqlTls = (typeof TLS_MODES)[number];

/** What settings of a MySQL may hold. */
export const mysqlSettings = members(...SERVER, ...login(MAX_NAME_BYTES), {
  name: 'tls',
  form: word(...TLS_MODES),
  description: 'Whether the connection is encrypted, and the server has to prove who it is.',
  default: 'preferred',
});

/** Checks the form of the settings of a MySQL. It throws `Invalid`. */
export const checkMysqlSettings = checkedBy(mysqlSettings);

/** Settings of a MySQL that have been checked, ready to connect with. */
export interface MysqlTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly tls: MysqlTls;
}

/** The server, the user and the database in checked settings. */
export const mysqlTargetOf = (settings: JsonObject): MysqlTarget => ({
  host: readText(settings, 'host'),
  port: readNumber(settings, 'port'),
  username: readText(settings, 'username'),
  password: readOptionalText(settings, 'password') ?? '',
  database: readText(settings, 'database'),
  tls: (readOptionalText(settings, 'tls') ?? 'preferred') as MysqlTls,
});
