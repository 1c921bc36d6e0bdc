import type { Expression } from '../expression/expression';

/** One function of the language. */
export interface FunctionRow {
  /** Minimal and maximal number of arguments, checked before `compile` is called. */
  readonly arity: readonly [least: number, most: number];
  /**
   * @param at index of the call.
   * @throws ExpressionFault when an argument is of a kind that the function does not accept.
   */
  readonly compile: (at: number, ...given: readonly Expression[]) => Expression;
}
