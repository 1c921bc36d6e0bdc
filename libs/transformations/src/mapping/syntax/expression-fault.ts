/** The expression cannot be compiled: the reason, and its place. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
  constructor(
    message: string,
    /** Index in the expression's text, in UTF-16 units. */
    readonly at: number,
  ) {
    super(message);
  }
}
