import type { Json, RecordValue, Type, Value } from '@penstock/schema';

/** An expression at work: takes the input record, gives what its place asked for. */
export type Evaluate<T> = (record: RecordValue) => T;

/** Takes a value that is not null. */
export type Take<T> = (value: NonNullable<Value>) => T;

/** A place that a value goes to: the destination property, or an argument of a function. */
export interface Sink<T> {
  /** What it accepts, for the error of an expression of another type: `text`, `boolean`. */
  readonly expects: string;
  /** What null becomes; a missing value is null. */
  readonly nothing: T;
  /** How it takes values of a type; undefined when it refuses them. */
  readonly from: (type: Type) => Take<T> | undefined;
  /** How it takes JSON that is already parsed, JSON null included. */
  readonly fromJson: (json: Json) => T;
  /** Set by a destination property: `array` looks at the type of its elements. */
  readonly destination?: Type;
}

/** An expression whose paths and functions are known; what it gives depends on where it goes. */
export interface Expression {
  /** Where it begins in the text, in UTF-16 units. */
  readonly at: number;
  /** Types of what it may give, one of each branch; none for `null`. */
  readonly types: readonly Type[];
  /** The value of a literal; undefined for all else. */
  readonly literal?: Value;
  /** A path and nothing else: `map` leaves out its null. */
  readonly isPath: boolean;
  /** @throws ExpressionFault when the place refuses a type, or a literal does not convert to it. */
  readonly into: <T>(sink: Sink<T>) => Evaluate<T>;
}
