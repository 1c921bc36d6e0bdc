import type { Issue } from '@penstock/schema';

/** Refusals at the level of HTTP. Clients rely on codes and messages. */
export const HTTP_REFUSALS = {
  NotFound: { status: 404, message: 'route does not exist' },
  MethodNotAllowed: { status: 405, message: 'method is not allowed' },
  RequestTimeout: { status: 408, message: 'request did not arrive in time' },
  PayloadTooLarge: { status: 413, message: 'request body is too large' },
  UnsupportedMediaType: { status: 415, message: 'content type is not supported' },
  TooManyRequests: { status: 429, message: 'too many requests' },
  HeadersTooLarge: { status: 431, message: 'request headers are too large' },
  InternalError: { status: 500, message: 'internal error' },
  ServiceUnavailable: { status: 503, message: 'service is unavailable' },
} as const satisfies Record<string, { status: number; message: string }>;

export type HttpRefusalCode = keyof typeof HTTP_REFUSALS;

export interface HttpRefusalDetails {
  /** Appended to the message of the table. */
  readonly because?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: readonly Issue[];
  readonly cause?: unknown;
}

/** A refusal before any rule of the domain applies, or because a dependency is unavailable. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: readonly Issue[];

  constructor(
    readonly code: HttpRefusalCode,
    { because, headers = {}, details = [], cause }: HttpRefusalDetails = {},
  ) {
    const { status, message } = HTTP_REFUSALS[code];
    super(because === undefined ? message : `${message}: ${because}`, { cause });
    this.status = status;
    this.headers = headers;
    this.details = details;
  }
}

const MIN_RETRY_S = 5;
const MAX_RETRY_S = 30;

/** Creates a `Retry-After` of 5 to 30 whole seconds, at random so that clients do not all return at once. */
export const retryAfter = (): Record<'Retry-After', string> => ({
  'Retry-After': String(MIN_RETRY_S + Math.floor(Math.random() * (MAX_RETRY_S - MIN_RETRY_S + 1))),
});

/** Creates the refusal of a request that needs an unavailable dependency. */
export const unavailable = (because: string, cause?: unknown): HttpRefusal =>
  new HttpRefusal('ServiceUnavailable', { because, cause, headers: retryAfter() });
