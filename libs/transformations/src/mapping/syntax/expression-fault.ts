/** The expression cannot be compiled: what is wrong, and where. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';
  constructor(
    message: string,
    /** Index in UTF-16 units of the expression's text. */
    readonly at: number,
  ) {
    super(message);
  }
}
