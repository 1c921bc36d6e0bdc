import { type DeclaredRefusal, REFUSALS } from '@penstock/contracts';
import type { Plain } from '@penstock/settings';
import { STATUS } from '../../http/error-answer';
import { HTTP_REFUSALS, type HttpRefusalCode } from '../../http/http-refusal';
import { headersNamed } from './headers';
import { type JsonSchema, oneOf, ref } from './json-schema';

/** An error of the API. */
export interface ApiError {
  readonly status: number;
  readonly code: string;
  /** Beginning of its message. */
  readonly message: string;
}

/** An error of a rule of the domain. */
export const refused = ({ code, kind, message }: DeclaredRefusal): ApiError => ({
  status: STATUS[kind ?? REFUSALS[code].kind],
  code,
  message: message ?? REFUSALS[code].message,
});

/** An error of HTTP. */
export const http = (code: HttpRefusalCode): ApiError => ({ code, ...HTTP_REFUSALS[code] });

/** Shape of an error's body. `IntakeError`: senders of events expect code and message as top-level members too. */
export type ErrorShape = 'Error' | 'IntakeError';

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is malformed; `details` name each bad member.',
  401: 'The key is missing or invalid.',
  403: 'The scope of the key does not allow the request.',
  404: 'Something that the request addresses does not exist.',
  409: 'The request conflicts with another one.',
  413: 'The body is too large.',
  415: 'The content type of the body is not supported.',
  422: 'The request is well-formed, but in conflict with the state.',
  429: 'Too many requests.',
  500: 'An internal error, which is logged with the `Request-Id`.',
  503: 'Something that the request needs is unavailable; repeat it after `Retry-After`.',
};

const HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  503: ['Retry-After'],
};

/** Schema that allows only these codes: an undeclared code in an answer is then found by validation. */
const schemaOf = (errors: readonly ApiError[], shape: ErrorShape): JsonSchema => {
  const codes = oneOf(errors.map(({ code }) => code));
  const error = { type: 'object', properties: { code: codes } };
  return { allOf: [ref(shape), { type: 'object', properties: { error } }] };
};

const exampleOf = ({ code, message }: ApiError, shape: ErrorShape): Plain => ({
  value: { ...(shape === 'IntakeError' && { code, message }), error: { code, message } },
});

/** Describes the answer of one status, with its codes and messages. */
const errorAnswerOf = (errors: readonly ApiError[], shape: ErrorShape): JsonSchema => {
  const status = errors[0]?.status ?? 0;
  const codes = errors.map(({ code, message }) => `- \`${code}\`: ${message}`);
  const examples = errors.map((error): [string, Plain] => [error.code, exampleOf(error, shape)]);
  const names = ['Request-Id', ...(HEADERS[status] ?? [])];
  return {
    description: [TITLES[status], '', ...codes].join('\n'),
    headers: headersNamed(names),
    content: {
      'application/json': {
        schema: schemaOf(errors, shape),
        examples: Object.fromEntries(examples),
      },
    },
  };
};

/** Errors with the same description in every operation; each is one component. */
const SHARED: readonly ApiError[] = [
  ...(
    [
      'BadRequest',
      'Unauthorized',
      'Forbidden',
      'WorkspaceNotExist',
      'OrganizationDisabled',
      'Conflict',
    ] as const
  ).map((code) => refused({ code })),
  ...(
    [
      'PayloadTooLarge',
      'UnsupportedMediaType',
      'TooManyRequests',
      'InternalError',
      'ServiceUnavailable',
    ] as const
  ).map(http),
];

const sharedName = (code: string, shape: ErrorShape): string =>
  shape === 'Error' ? code : `Intake${code}`;

const isShared = (errors: readonly ApiError[]): boolean =>
  errors.length === 1 && SHARED.some(({ code }) => code === errors[0]?.code);

/** Codes of the shared errors that senders of events get too. */
const OF_INTAKE: ReadonlySet<string> = new Set([
  'BadRequest',
  'Unauthorized',
  'PayloadTooLarge',
  'UnsupportedMediaType',
  'TooManyRequests',
  'InternalError',
  'ServiceUnavailable',
]);

/** The components that {@link errorAnswersOf} refers to. */
export const SHARED_ANSWERS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  (['Error', 'IntakeError'] as const).flatMap((shape) =>
    SHARED.filter(({ code }) => shape === 'Error' || OF_INTAKE.has(code)).map((error) => [
      sharedName(error.code, shape),
      errorAnswerOf([error], shape),
    ]),
  ),
);

/** The error answers of an operation, by status. */
export const errorAnswersOf = (
  errors: readonly ApiError[],
  shape: ErrorShape = 'Error',
): Readonly<Record<string, JsonSchema>> => {
  const statuses = [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b);
  const answers = statuses.map((status): [string, JsonSchema] => {
    const own = errors.filter((error) => error.status === status);
    const name = sharedName(own[0]?.code ?? '', shape);
    const answer = isShared(own)
      ? { $ref: `#/components/responses/${name}` }
      : errorAnswerOf(own, shape);
    return [String(status), answer];
  });
  return Object.fromEntries(answers);
};
