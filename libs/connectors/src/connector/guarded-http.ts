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

/** The answer to a download: its head, and its body as it comes. */
export interface Download {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body without a limit, as it was sent, once. Rejects with {@link NoAnswer}; the connection ends with it. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Gives up what is left of the body; may be called again. */
  discard(): void;
}

/** What a {@link GuardedHttp.download} asks for. */
export interface DownloadRequest extends Pick<OutgoingRequest, 'url' | 'headers'> {
  /** Milliseconds until the head of the answer is there, and between two parts of its body. */
  readonly idleMs: number;
}

/** A request whose body is a stream. */
export interface UploadRequest extends Pick<OutgoingRequest, 'url' | 'headers'> {
  readonly method: 'POST' | 'PUT';
  /** The body, once. What it throws is thrown by {@link GuardedHttp.upload}, and the body ends unfinished. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Bytes of the body, where they are known: it is sent in chunks otherwise. */
  readonly size?: number;
  /** Milliseconds until a part of the body is taken, and until the answer is there after the last one. */
  readonly idleMs: number;
}

/** The request had no answer: refused by the egress guard, no connection, time-out, broken answer. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer';
}

/** The operator does not allow the address: a repetition is refused as well. */
export class NotAllowed extends NoAnswer {
  override readonly name = 'NotAllowed';
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
  /**
   * Gets a body of any size. Redirects are followed as those of {@link request} are.
   *
   * @throws NoAnswer
   */
  abstract download(request: DownloadRequest, signal: AbortSignal): Promise<Download>;
  /**
   * Sends a body of any size, once: no redirect is followed.
   *
   * @throws NoAnswer; what the body throws.
   */
  abstract upload(request: UploadRequest, signal: AbortSignal): Promise<IncomingResponse>;
  abstract close(): Promise<void>;
}
