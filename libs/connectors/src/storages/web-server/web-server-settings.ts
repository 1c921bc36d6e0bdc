import {
  isJsonArray,
  isJsonObject,
  type Issue,
  type Json,
  JsonNumber,
  type JsonObject,
} from '@penstock/schema';
import {
  type Form,
  integer,
  list,
  members,
  readNumber,
  readObjects,
  readText,
} from '@penstock/settings';
import { headerName, headerValue } from '../../settings/header';
import { hostName } from '../host-name';

const MAX_HEADERS = 50;

/** What the connection itself needs, or what the service decides. */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const header = members(
  {
    name: 'key',
    form: headerName((name) => (RESERVED.has(name) ? 'is set by the service' : undefined)),
    description: 'Name of the header.',
    required: true,
  },
  {
    name: 'value',
    form: {
      ...headerValue,
      secret: true,
      mapSecrets: (json, change) => (typeof json === 'string' ? change(json) : json),
    },
    description: 'Value of the header.',
    required: true,
  },
);

const namesIn = (json: Json): readonly (string | undefined)[] =>
  (isJsonArray(json) ? json : []).map((each) => {
    const name = isJsonObject(each) ? each.get('key') : undefined;
    return typeof name === 'string' ? name.toLowerCase() : undefined;
  });

const headers = list(header, MAX_HEADERS);

/** A name may stand once, whatever its case. */
const distinctHeaders: Form = {
  ...headers,
  check: (json, path, issues: Issue[]) => {
    const checked = headers.check(json, path, issues);
    namesIn(json).forEach((name, index, names) => {
      if (name !== undefined && names.indexOf(name) < index)
        issues.push({ path: `${path}/${String(index)}/key`, message: 'is repeated' });
    });
    return checked;
  },
};

/** Settings of the connectors `http-get` and `http-post`. */
export const webServerForm = members(
  { name: 'host', form: hostName, description: 'Host name or IP address.', required: true },
  {
    name: 'port',
    form: integer(1, 65_535),
    description: 'Port; on 80 files are transferred over http, on every other port over https.',
    default: new JsonNumber('443'),
  },
  {
    name: 'headers',
    form: distinctHeaders,
    description: 'Headers that each request carries; their values are kept as secrets.',
    default: [],
  },
);

const HTTP_PORT = 80;

/** Where the paths of the settings begin, such as `https://example.com`. */
export const webServerOrigin = (settings: JsonObject): string => {
  const port = readNumber(settings, 'port');
  const host = readText(settings, 'host');
  const authority = host.includes(':') ? `[${host}]` : host;
  return new URL(`${port === HTTP_PORT ? 'http' : 'https'}://${authority}:${String(port)}`).origin;
};

/** The headers of the settings, by name. */
export const webServerHeaders = (settings: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readObjects(settings, 'headers').map((each) => [
      readText(each, 'key'),
      readText(each, 'value'),
    ]),
  );
