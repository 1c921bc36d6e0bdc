/** Options of one request over the log. */
export interface LogRequestOptions<Data> {
  /** Id of the aggregate: requests of one key are handled in the order in which they were sent. */
  readonly key: string;
  readonly data: Data;
  /** Topic for the request. Default: the client's. */
  readonly topic?: string;
  /** The same for every repetition of one command, to detect it. Default: a generated one. */
  readonly commandId?: string;
  /** Milliseconds to wait for the answer; after this the request is no longer handled. Default: the client's. */
  readonly timeoutMs?: number;
  /**
   * Fires when the answer is not wanted any more: then the request is withdrawn. One that was not begun is not handled,
   * and a handler that is at work may end early by the signal of its context.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Passed to `LogClient.send` in place of plain data, to set options of the request. */
export class LogRequest<Data> {
  constructor(readonly options: LogRequestOptions<Data>) {}
}
