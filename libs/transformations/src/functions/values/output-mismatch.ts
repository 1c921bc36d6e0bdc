/** A value of a function's result does not fit its type. */
export class OutputMismatch extends Error {
  override readonly name = 'OutputMismatch';
  constructor(
    /** Path from the value on, such as `.x` or `[2].x`. */
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/** Runs the reader of a part; prefixes the path of its error with the step. */
export const within = <T>(step: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OutputMismatch)) throw error;
    throw new OutputMismatch(step + error.path, error.message);
  }
};
