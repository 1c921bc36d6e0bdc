/** What a function gave does not fit its place. */
export class OutputMismatch extends Error {
  override readonly name = 'OutputMismatch';
  constructor(
    /** From the value on, such as `.x` or `[2].x`. */
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/** Runs a reader of a part; where it fails, the path is told from the whole on. */
export const within = <T>(step: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof OutputMismatch)) throw error;
    throw new OutputMismatch(step + error.path, error.message);
  }
};
