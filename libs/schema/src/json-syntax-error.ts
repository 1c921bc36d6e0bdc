/** The text is not JSON, repeats a member name, or nests too deep. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  constructor(
    message: string,
    /** Index in UTF-16 units of the text at which reading stopped. */
    readonly offset: number,
    /** JSON pointer to the value that was being read. */
    readonly path: string,
  ) {
    super(message);
  }
}
