import type { Expression } from '../expression/expression';

/** One function of the language. */
export interface FunctionRow {
  /** Least and most arguments; the count is checked before `compile` is called. */
  readonly arity: readonly [least: number, most: number];
  /**
   * @param at where the call stands.
   * @throws ExpressionFault when an argument is of a kind that the function does not take.
   */
  readonly compile: (at: number, ...given: readonly Expression[]) => Expression;
}
