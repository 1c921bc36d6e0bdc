/** One request over the log. */
export interface LogRequestOptions<Data> {
  /** Requests of one key are handled in the order in which they were sent; the id of the aggregate. */
  readonly key: string;
  readonly data: Data;
  /** Where it goes. Default: the client's topic of requests. */
  readonly topic?: string;
  /** The same for every repetition of one command, so that it is recognised. Default: a new one. */
  readonly commandId?: string;
  /** Milliseconds until the answer is given up, and the request is no longer handled. Default: the client's. */
  readonly timeoutMs?: number;
  /**
   * Fires when the answer is not wanted any more: then the request is withdrawn. One that was not begun is not handled, and a
   * handler that is at work may end early by the signal of its context.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What `LogClient.send` takes in place of plain data, to say more about the request. */
export class LogRequest<Data> {
  constructor(readonly options: LogRequestOptions<Data>) {}
}
