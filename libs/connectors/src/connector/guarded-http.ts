/** A request to somebody else's server. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds for the whole request, answer included. */
  readonly timeoutMs: number;
  /**
   * Called right before the request is written to its connection, redirects too; `false`: it is not. Absent: always.
   */
  readonly mayWrite?: () => boolean;
}

/** The answer to a request, its body as text. */
export interface IncomingResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most the first MiB. */
  readonly body: string;
}

/** The request had no answer: refused by the egress guard, no connection, time-out, broken answer. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer';
}

/** {@link OutgoingRequest.mayWrite} returned `false`: nothing of the request was written. */
export class NotWritten extends NoAnswer {
  override readonly name = 'NotWritten';
  constructor() {
    super('not sent: whoever sends it may no longer do so');
  }
}

/**
 * The one way out of the service: TLS is verified, addresses that the operator did not allow are refused after
 * DNS resolution, on every redirect too.
 */
export abstract class GuardedHttp {
  /** @throws NoAnswer */
  abstract request(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingResponse>;
  abstract close(): Promise<void>;
}
