import { INTEGER, type JsonSchema, oneOf, TEXT } from './json-schema';

const header = (description: string, schema: JsonSchema, required = true): JsonSchema => ({
  description,
  required,
  schema,
});

/** Headers of answers, by name. */
export const HEADERS: Readonly<Record<string, JsonSchema>> = {
  'Request-Id': header(
    'Identifies the request in logs, traces and the audit: the one that was sent, if it can be logged, else a new one.',
    TEXT,
  ),
  'RateLimit-Limit': header('Maximum number of requests at once.', INTEGER),
  'RateLimit-Remaining': header('Number of requests that are left.', INTEGER),
  'RateLimit-Reset': header('Seconds until another request is allowed.', INTEGER),
  'Retry-After': header('Seconds to wait before the request is repeated.', INTEGER),
  'WWW-Authenticate': header('The scheme of authentication.', oneOf(['Bearer'])),
  ETag: header('The version of the object, for `If-Match`.', {
    type: 'string',
    pattern: '^"\\d+"$',
  }),
  'Idempotent-Replayed': header(
    'The answer is that of the first request with this `Idempotency-Key`.',
    oneOf(['true']),
    false,
  ),
  'Access-Control-Allow-Origin': header('A page of any origin may read the answer.', oneOf(['*'])),
};

const headerRef = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` });

export const headersNamed = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, headerRef(name)]));
