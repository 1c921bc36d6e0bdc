/** Where a fault has happened: the members of its log line, such as `partition` or `connection`. */
export type FaultPlace = Readonly<Record<string, string | number | readonly number[]>>;

/**
 * A fault that the router survives. The message says what has happened and what follows; it names no object, so that the
 * log shows the same fault of many objects once.
 */
export class RouterFault extends Error {
  override readonly name = 'RouterFault';

  constructor(
    message: string,
    readonly where: FaultPlace,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}
