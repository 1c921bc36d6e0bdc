/** How one environment variable is read: a row of a service's table of variables. */
export class Variable<Value, Fallback = undefined> {
  private constructor(
    /** Completes "must be …" in an error; does not reveal the value. */
    readonly expects: string,
    /** @returns undefined when the text is not what the variable expects. */
    readonly parse: (text: string) => Value | undefined,
    /** The value when the variable is not set, or set to nothing. */
    readonly fallback: Fallback,
  ) {}

  static of<Value>(expects: string, parse: (text: string) => Value | undefined): Variable<Value> {
    return new Variable(expects, parse, undefined);
  }

  /** The same variable with a value for when it is not set. */
  or(fallback: Value): Variable<Value, Value> {
    return new Variable(this.expects, this.parse, fallback);
  }
}
