import type { RawAnswer, RawRequest } from '../harness/raw-request';

/** The body of every error. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  };
}

export interface Refused {
  readonly status: number;
  readonly code: string;
  /** The complete message, or a pattern where it contains a variable reason. */
  readonly message: string | RegExp;
  /** JSON pointer of the first detail. */
  readonly path?: string;
}

/** Checks status, media type and body of an answer. */
export const expectRefused = (
  answer: RawAnswer,
  { status, code, message, path }: Refused,
): void => {
  expect(answer.headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/);
  const { error } = JSON.parse(answer.text) as ErrorBody;
  expect({
    status: answer.status,
    code: error.code,
    message: error.message,
    path: error.details?.[0]?.path,
  }).toEqual({
    status,
    code,
    message: typeof message === 'string' ? message : (expect.stringMatching(message) as string),
    path,
  });
};

export const json = (value: unknown): RawRequest => ({
  headers: { 'Content-Type': 'application/json' },
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

export const NONE: RawRequest = {};

export const malformed = (path: string): Refused => ({
  status: 400,
  code: 'BadRequest',
  message: 'request is not valid',
  path,
});

export const malformedFilter = (path: string): Refused => ({
  ...malformed(path),
  message: 'filter is not valid',
});

export const absent = (code: string, message: string): Refused => ({ status: 404, code, message });

export const NO_CONNECTION = absent('ConnectionNotExist', 'connection does not exist');
export const NO_PIPELINE = absent('PipelineNotExist', 'pipeline does not exist');
export const NO_KEY = {
  status: 401,
  code: 'Unauthorized',
  message: 'Authorization header is missing or invalid',
};
export const TOO_LARGE = {
  status: 413,
  code: 'PayloadTooLarge',
  message: /^request body is too large: the limit is \d+ bytes$/,
};
export const UNSUPPORTED = {
  status: 415,
  code: 'UnsupportedMediaType',
  message: /^content type is not supported: ./,
};

export const refused = (code: string, message: string | RegExp, path?: string): Refused => ({
  status: 422,
  code,
  message,
  ...(path !== undefined && { path }),
});

export const FORBIDDEN: Refused = {
  status: 403,
  code: 'Forbidden',
  message: 'API key does not have the scope for this operation',
};

export const CONFLICT: Refused = {
  status: 409,
  code: 'Conflict',
  message: 'resource was changed by another request',
};

export const NO_METHOD: Refused = {
  status: 405,
  code: 'MethodNotAllowed',
  message: 'method is not allowed',
};
