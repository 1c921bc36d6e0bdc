import type { Type, Value } from '@penstock/schema';

/** Every node knows where it begins: `at` is an index in UTF-16 units of the expression's text. */
interface Place {
  readonly at: number;
}

export interface LiteralNode extends Place {
  readonly kind: 'literal';
  /** `null` for the literal `null`, and only then. */
  readonly type: Type | null;
  readonly value: Value;
}

export interface Step extends Place {
  readonly name: string;
  /** Ends in `?`: JSON that is not an object gives null here instead of an error. */
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
  /** Two or more. */
  readonly parts: readonly Node[];
}

/** An expression as it is written, before anything is known of the properties and functions it names. */
export type Node = LiteralNode | PathNode | CallNode | ConcatenationNode;
