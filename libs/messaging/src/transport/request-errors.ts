import type { ErrorReply } from './error-reply';

/** No answer arrived in time. The request may have been handled or not: repeat it with the same command id. */
export class RequestTimeout extends Error {
  override readonly name = 'RequestTimeout';
  readonly code = 'RequestTimeout';
  constructor(
    readonly pattern: string,
    readonly timeoutMs: number,
  ) {
    super(`no answer to ${pattern} within ${timeoutMs} ms`);
  }
}

/** The handler failed and answered with this code. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  readonly code: string;
  readonly kind: string | undefined;
  readonly details: unknown;

  constructor(readonly reply: ErrorReply) {
    super(reply.message);
    this.code = reply.code;
    this.kind = reply.kind;
    this.details = reply.details;
  }
}
