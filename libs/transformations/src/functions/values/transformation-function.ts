import type { Schema } from '@penstock/schema';

/** The languages of functions. */
export type FunctionLanguage = 'JavaScript' | 'Python';

/** A user's function, and the properties that it may read and return. */
export interface TransformationFunction {
  readonly language: FunctionLanguage;
  /** Defines `transform`, which takes one record and returns one. */
  readonly source: string;
  /** Whether values of kind json are passed in and out as text, so that every digit is kept. */
  readonly preserveJSON: boolean;
  /** Dotted paths of the input schema. */
  readonly inPaths: readonly string[];
  /** Dotted paths of the output schema. */
  readonly outPaths: readonly string[];
}

/** The schemas of a function's input and output. */
export interface FunctionSchemas {
  readonly input: Schema;
  readonly output: Schema;
}
