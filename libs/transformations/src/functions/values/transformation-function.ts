import type { Schema } from '@penstock/schema';

/** The languages in which functions are written. */
export type FunctionLanguage = 'JavaScript' | 'Python';

/** What a user wrote, and which properties it may see and give. */
export interface TransformationFunction {
  readonly language: FunctionLanguage;
  /** Defines `transform`, which takes one record and gives one. */
  readonly source: string;
  /** Values of kind json go in and come out as their text, so that every digit stays. */
  readonly preserveJSON: boolean;
  /** Dotted, of the input schema. */
  readonly inPaths: readonly string[];
  /** Dotted, of the output schema. */
  readonly outPaths: readonly string[];
}

/** The schemas of what a function is given and of what it returns. */
export interface FunctionSchemas {
  readonly input: Schema;
  readonly output: Schema;
}
