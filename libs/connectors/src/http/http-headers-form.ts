import {
  isJsonArray,
  isJsonObject,
  type Issue,
  type Json,
  type JsonObject,
} from '@penstock/schema';
import { flag, type Form, list, members, readText } from '@penstock/settings';
import { headerName, headerValue } from '../settings/header';

const MAX_HEADERS = 50;

/** What the connection itself needs, or what every request carries in any case. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'penstock-signature',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const header = members(
  {
    name: 'name',
    form: headerName((name) => (RESERVED.has(name) ? 'is set by the service' : undefined)),
    description: 'Name of the header.',
    required: true,
  },
  { name: 'value', form: headerValue, description: 'Value of the header.', required: true },
  {
    name: 'secret',
    form: flag,
    description: 'The value is a secret: it is shown by its last four characters only.',
    default: false,
  },
);

const maybeSecret: Form = {
  ...header,
  mapSecrets: (json, change) => {
    if (!isJsonObject(json) || json.get('secret') !== true) return json;
    return new Map(json).set('value', change(readText(json, 'value')));
  },
};

const headers = list(maybeSecret, MAX_HEADERS);

/** The headers that a connection adds to each request; a name may stand once, whatever its case. */
export const httpHeadersForm: Form = {
  ...headers,
  check: (json, path, issues) => {
    const checked = headers.check(json, path, issues);
    if (isJsonArray(json) && json.length <= MAX_HEADERS) reportRepeated(checked, path, issues);
    return checked;
  },
};

/** Names of headers in lower case, in their order; undefined for an element that has none. */
const headerNames = (json: Json | undefined): (string | undefined)[] =>
  (isJsonArray(json) ? json : []).map((each) => {
    const name = isJsonObject(each) ? each.get('name') : undefined;
    return typeof name === 'string' ? name.toLowerCase() : undefined;
  });

const reportRepeated = (json: Json, path: string, issues: Issue[]): void => {
  const seen = new Set<string>();
  headerNames(json).forEach((name, index) => {
    if (name === undefined) return;
    if (seen.has(name))
      issues.push({ path: `${path}/${String(index)}/name`, message: 'is repeated' });
    seen.add(name);
  });
};

/** The settings' headers that `auth` would set a second time. */
export const reportAuthorizedTwice = (
  settings: JsonObject,
  path: string,
  issues: Issue[],
): void => {
  if (!isJsonObject(settings.get('auth'))) return;
  const index = headerNames(settings.get('headers')).indexOf('authorization');
  if (index >= 0)
    issues.push({ path: `${path}/headers/${String(index)}/name`, message: 'is set by auth' });
};
