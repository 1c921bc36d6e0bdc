import type { Type, Value } from '@penstock/schema';

/** Place of a node: `at` is the index of its beginning in the expression's text, in UTF-16 units. */
interface Place {
  readonly at: number;
}

export interface LiteralNode extends Place {
  readonly kind: 'literal';
  /** `null` only for the literal `null`. */
  readonly type: Type | null;
  readonly value: Value;
}

export interface Step extends Place {
  readonly name: string;
  /** Whether it ends in `?`: JSON that is not an object then gives null instead of an error. */
  readonly lenient: boolean;
}

export interface PathNode extends Place {
  readonly kind: 'path';
  readonly root: Step;
  /** The steps after the first. */
  readonly steps: readonly Step[];
}

export interface CallNode extends Place {
  readonly kind: 'call';
  readonly name: string;
  readonly arguments: readonly Node[];
}

interface ConcatenationNode extends Place {
  readonly kind: 'concatenation';
  /** At least two. */
  readonly parts: readonly Node[];
}

/** A parsed expression, before its properties and functions are resolved. */
export type Node = LiteralNode | PathNode | CallNode | ConcatenationNode;
