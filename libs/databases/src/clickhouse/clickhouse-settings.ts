import type { JsonObject } from '@penstock/schema';
import {
  checkedBy,
  flag,
  members,
  readNumber,
  readOptionalText,
  readText,
} from '@penstock/settings';
import { login, SERVER } from '../settings/server-settings';

/** ClickHouse has no limit of its own; that of MySQL. */
const MAX_NAME_BYTES = 255;

/** A user with a colon cannot log in over HTTP. */
const colon = (username: string): string | undefined =>
  username.includes(':') ? 'must hold no colon' : undefined;

/** What settings of a ClickHouse may hold. */
export const clickhouseSettings = members(...SERVER, ...login(MAX_NAME_BYTES, colon), {
  name: 'tls',
  form: flag,
  description: 'Whether the server is talked to over HTTPS; it has to prove who it is then.',
  default: false,
});

/** Checks the form of the settings of a ClickHouse. It throws `Invalid`. */
export const checkClickhouseSettings = checkedBy(clickhouseSettings);

/** Settings of a ClickHouse that have been checked, ready to connect with. */
export interface ClickhouseTarget {
  readonly host: string;
  /** Of the HTTP interface. */
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly tls: boolean;
}

/** The server, the user and the database in checked settings. */
export const clickhouseTargetOf = (settings: JsonObject): ClickhouseTarget => ({
  host: readText(settings, 'host'),
  port: readNumber(settings, 'port'),
  username: readText(settings, 'username'),
  password: readOptionalText(settings, 'password') ?? '',
  database: readText(settings, 'database'),
  tls: settings.get('tls') === true,
});
