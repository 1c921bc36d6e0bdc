import { excerpt } from './excerpt';

/** A record cannot be transformed: thrown by an expression during evaluation, completed by its caller. */
export class Fault extends Error {
  override readonly name = 'Fault';
  /** The beginning of the offending value. */
  readonly value: string | undefined;
  constructor(message: string, value?: string) {
    super(message);
    this.value = value === undefined ? undefined : excerpt(value);
  }
}

/** A value does not convert to its destination, or violates its constraints. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  /** The beginning of the offending value. */
  readonly value: string;
  constructor(message: string, value: string) {
    super(message);
    this.value = excerpt(value);
  }
}
