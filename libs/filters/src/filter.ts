import type { Operator } from './operators';

/**
 * Where a filter stands: users read from a source, profiles sent to a destination, events at either end.
 * A destination's users are filtered without json properties; only a source's may test whether an object is empty;
 * the strings of events are NFC-normalised, and so are the operands compared with them.
 */
export type FilterContext = 'SourceUser' | 'DestinationUser' | 'SourceEvent' | 'DestinationEvent';

/** One comparison of a property with operands. */
export interface Condition {
  /** Path of the property, with the steps inside it when it is of kind json: `traits.plan`. */
  readonly property: string;
  /** The part of `property` that the schema knows: `traits`. */
  readonly path: string;
  readonly operator: Operator;
  /** The operands in the form in which they are stored and read back; as many as the operator takes. */
  readonly values: readonly string[];
}

/** A filter that fits its schema. Made by {@link parseFilter} only. */
export interface Filter {
  readonly logical: 'and' | 'or';
  /** At least one. */
  readonly conditions: readonly Condition[];
}

/** The properties that a filter reads, sorted and unique; a path inside JSON counts as its json property. */
export const filterPaths = ({ conditions }: Filter): string[] =>
  [...new Set(conditions.map(({ path }) => path))].sort();
