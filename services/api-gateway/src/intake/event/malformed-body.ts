/** The body of a request to intake is refused as a whole: none of its events is accepted. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
  constructor(
    message: string,
    /** JSON pointer into the body, `''` for the body itself. */
    readonly path = '',
  ) {
    super(message);
  }
}
