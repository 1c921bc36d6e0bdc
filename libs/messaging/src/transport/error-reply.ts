/** A handler's failure on its way to the one who asked. */
export interface ErrorReply {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly kind?: string;
  readonly details?: unknown;
}

/** What is told of an error that was not made for the one who asked: nothing. */
export const INTERNAL_ERROR: ErrorReply = {
  name: 'Error',
  code: 'InternalError',
  message: 'the request could not be handled',
};

/** So many requests are under way that no further one is begun. */
export const TOO_MANY: ErrorReply = {
  name: 'Error',
  code: 'ServiceUnavailable',
  message: 'service is unavailable: too many requests of this kind are under way',
  kind: 'unavailable',
};

/** No request of this pattern is known here. */
export const unknownPattern = (pattern: string): ErrorReply => ({
  name: 'Error',
  code: 'UnknownPattern',
  message: `there is no handler for ${pattern}`,
});

/** Codes of ours are words (`PipelineNotExist`); those of Node and of SQL are not (`ECONNRESET`, `23505`). */
const OWN_CODE = /^[A-Z][a-z]+([A-Z][a-z]*)*$/;

/** An error that has a code in words was made to be told; of any other, `undefined`. */
export const errorReplyOf = (error: unknown): ErrorReply | undefined => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { name, code, message, kind, details } = error as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string' || !OWN_CODE.test(code)) return undefined;
  return {
    name: typeof name === 'string' ? name : 'Error',
    code,
    message: typeof message === 'string' ? message : code,
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(details === undefined ? {} : { details }),
  };
};
