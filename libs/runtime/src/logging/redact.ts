import { stdSerializers } from 'pino';

const MASK = '[redacted]';

/** Endings of member names, in lower case without `-` and `_`: `apiKey`, `x-api-key` and `destinationApiKey` alike. */
const SECRET_ENDINGS = [
  'authorization',
  'cookie',
  'credentials',
  'password',
  'passphrase',
  'apikey',
  'writekey',
  'privatekey',
  'accesskey',
  'secretkey',
  'bootstrapkey',
  'token',
  'secret',
];

/** Deeper than any object that is logged on purpose; what lies below is left out. */
const MAX_DEPTH = 5;

/** Whether a member of that name holds a secret. */
export const isSecretName = (name: string): boolean => {
  const plain = name.toLowerCase().replace(/[-_]/g, '');
  return SECRET_ENDINGS.some((ending) => plain.endsWith(ending));
};

interface Convertible {
  readonly toJSON?: unknown;
}

const redactMembers = (value: object, depth: number): unknown =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => [
      name,
      isSecretName(name) && member != null ? MASK : redact(member, depth + 1),
    ]),
  );

/** What JSON will show of the value, with secret-looking members masked at every depth. */
export const redact = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[deep]';
  if (Array.isArray(value)) return value.map((item: unknown) => redact(item, depth + 1));
  if (value instanceof Error) return redactMembers(stdSerializers.err(value), depth);
  const { toJSON } = value as Convertible;
  return typeof toJSON === 'function'
    ? redact(toJSON.call(value), depth + 1)
    : redactMembers(value, depth);
};

/** Secrets that give themselves away in running text: a URL's password, an API key, a bearer or basic credential. */
const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z\d+.-]*:\/\/[^\s:/?#@"']*):[^\s/?#"']+@/gi, `$1:${MASK}@`],
  [/\bpk_[0-9A-Za-z]{40}\b/g, `pk_${MASK}`],
  [/\b(Bearer|Basic) [A-Za-z0-9._~+/=-]{16,}/g, `$1 ${MASK}`],
];

export const redactText = (text: string): string =>
  IN_TEXT.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), text);
