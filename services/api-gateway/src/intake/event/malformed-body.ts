/** The body of a request to intake cannot be read as a whole: none of its events is taken. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
  constructor(
    message: string,
    /** JSON pointer into the body, `''` for the whole. */
    readonly path = '',
  ) {
    super(message);
  }
}
