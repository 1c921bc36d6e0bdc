/** A handler's failure, as sent to the requester. */
export interface ErrorReply {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly kind?: string;
  readonly details?: unknown;
}

/** Sent in place of an error that is not meant for requesters; it reveals nothing. */
export const INTERNAL_ERROR: ErrorReply = {
  name: 'Error',
  code: 'InternalError',
  message: 'the request could not be handled',
};

/** Refuses a request because too many are in progress. */
export const TOO_MANY: ErrorReply = {
  name: 'Error',
  code: 'ServiceUnavailable',
  message: 'service is unavailable: too many requests of this kind are under way',
  kind: 'unavailable',
};

/** A dependency was lost while the request was handled; nobody can tell how much of it is done. */
export const CUT_OFF: ErrorReply = {
  name: 'Error',
  code: 'ServiceUnavailable',
  message: 'service is unavailable: the request was cut off; repeat it',
  kind: 'unavailable',
};

/** There is no handler for the pattern. */
export const unknownPattern = (pattern: string): ErrorReply => ({
  name: 'Error',
  code: 'UnknownPattern',
  message: `there is no handler for ${pattern}`,
});

/** Own codes are words (`PipelineNotExist`); those of Node and of SQL are not (`ECONNRESET`, `23505`). */
const OWN_CODE = /^[A-Z][a-z]+([A-Z][a-z]*)*$/;

/** Converts an error whose code is in words, which is meant for requesters; `undefined` for any other. */
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
