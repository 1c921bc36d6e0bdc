import { checkPostgresqlSettings, postgresqlTargetOf } from '@penstock/databases';
import type { TrustedServer } from '@penstock/egress';
import { Invalid, type Issue, type Json, JsonNumber } from '@penstock/schema';
import type { WarehouseSettings } from '../platform/warehouse';

const DEFAULT_PORT = '5432';
const DEFAULT_SCHEMA = 'warehouse';

const unknownParameters = ({ searchParams }: URL): readonly Issue[] =>
  [...searchParams.keys()]
    .filter((name) => name !== 'schema' && name !== 'sslmode')
    .map((name) => ({ path: '', message: `parameter ${name} is not known` }));

/**
 * The settings in a URL: `postgres://user:password@host:port/database?schema=warehouse&sslmode=prefer`.
 *
 * @throws Invalid
 */
export const settingsOfUrl = (text: string): WarehouseSettings => {
  const url = new URL(text);
  const issues = unknownParameters(url);
  if (issues.length > 0) throw new Invalid(issues);
  const settings = new Map<string, Json>([
    ['host', url.hostname.replace(/^\[(.*)\]$/, '$1')],
    ['port', new JsonNumber(url.port === '' ? DEFAULT_PORT : url.port)],
    ['username', decodeURIComponent(url.username)],
    ['database', decodeURIComponent(url.pathname.slice(1))],
    ['schema', url.searchParams.get('schema') ?? DEFAULT_SCHEMA],
  ]);
  const sslMode = url.searchParams.get('sslmode');
  if (url.password !== '') settings.set('password', decodeURIComponent(url.password));
  if (sslMode !== null) settings.set('sslMode', sslMode);
  return checkPostgresqlSettings(settings);
};

/** The server that a URL names. @throws Invalid */
export const serverOfUrl = (url: string): TrustedServer => {
  const { host, port } = postgresqlTargetOf(settingsOfUrl(url));
  return { host, port };
};
