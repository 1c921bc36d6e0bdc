/** The source of a function gives no function: a syntax error, an error or a time-out of its evaluation. */
export class FunctionRefused extends Error {
  override readonly name = 'FunctionRefused';
  constructor(
    message: string,
    /** From 1; 0 when unknown. */
    readonly line: number,
    /** From 1; 0 when unknown. */
    readonly column: number,
  ) {
    super(message);
  }
}

/** No sandbox could be started, or the runner was closed. Says nothing about the function or the records. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}
