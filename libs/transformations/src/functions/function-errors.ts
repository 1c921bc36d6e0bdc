/** The source does not define a function: a syntax error, an error or a time-out of its evaluation. */
export class FunctionRefused extends Error {
  override readonly name = 'FunctionRefused';
  constructor(
    message: string,
    /** Line number from 1; 0 when unknown. */
    readonly line: number,
    /** Column number from 1; 0 when unknown. */
    readonly column: number,
  ) {
    super(message);
  }
}

/** No sandbox could be started, or the runner was closed. Independent of the function and the records. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}
