/**
 * What a condition tests of the value that it finds: `undefined` when there is none, `null` when it is null.
 * Total: it gives an answer, and never throws, whatever it is given.
 */
export type Test = (value: unknown) => boolean;

/**
 * Where a value stands to an operand: negative before it, 0 the same, positive after it, `NaN` when the two
 * cannot be compared. Every comparison with `NaN` is false, which is what a filter wants of such a value.
 */
export type Order = (value: unknown) => number;
