import type { Json, RecordValue, Type, Value } from '@penstock/schema';

/** A compiled expression: evaluates the input record to the form that its sink requested. */
export type Evaluate<T> = (record: RecordValue) => T;

/** Converts a value that is not null. */
export type Take<T> = (value: NonNullable<Value>) => T;

/** A place that a value goes to: the destination property, or an argument of a function. */
export interface Sink<T> {
  /** What it accepts, for the error about an expression of another type: `text`, `boolean`. */
  readonly expects: string;
  /** Stands for null; a missing value counts as null. */
  readonly nothing: T;
  /** Returns the conversion from a type; undefined when the type is refused. */
  readonly from: (type: Type) => Take<T> | undefined;
  /** Converts parsed JSON, including JSON null. */
  readonly fromJson: (json: Json) => T;
  /** Set by a destination property: `array` uses the type of its elements. */
  readonly destination?: Type;
}

/** An expression with resolved paths and functions; the form of its result depends on the sink. */
export interface Expression {
  /** Index of its beginning in the text, in UTF-16 units. */
  readonly at: number;
  /** Types of its possible results, one for each branch; empty for `null`. */
  readonly types: readonly Type[];
  /** The value of a literal; undefined for other expressions. */
  readonly literal?: Value;
  /** Whether it is a single path: `map` leaves out an entry whose path is null. */
  readonly isPath: boolean;
  /**
   * Compiles the expression for a sink.
   *
   * @throws ExpressionFault when the sink refuses a type, or a literal does not convert to it.
   */
  readonly into: <T>(sink: Sink<T>) => Evaluate<T>;
}
