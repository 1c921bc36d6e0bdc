import type { Type, Value } from '@penstock/schema';

/** A value that is not of the type of its column, or a row that cannot be taken apart. The message is the end of a sentence and repeats no value. */
export class BadValue extends Error {
  override readonly name = 'BadValue';
}

/** What a column of a database becomes. */
export interface Counterpart<Raw> {
  readonly type: Type;
  /**
   * A value of the type.
   *
   * @throws BadValue
   */
  readonly read: (raw: Raw) => Value;
  /** Digits of the fractions of seconds that the column keeps, of its times or those in it; absent: it has none. */
  readonly fractionDigits?: number;
}

/** Why values of a column cannot be read. */
export interface Unsupported {
  /** The type in the words of the database. */
  readonly unsupported: string;
}

/** A column as the server describes it. */
export interface SourceColumn<Raw> {
  readonly name: string;
  readonly nullable: boolean;
  /** Whether a row without it cannot be added. */
  readonly isRequired?: boolean;
  readonly counterpart: Counterpart<Raw> | Unsupported;
}

/** Reads what a function of `libs/schema` may not know: undefined is no value. */
export const known = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw new BadValue(`is not ${what}`);
  return value;
};
