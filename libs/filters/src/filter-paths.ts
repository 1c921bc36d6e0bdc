import type { Filter } from './filter';

/** The properties that a filter reads, sorted and unique; a path inside JSON counts as its json property. */
export const filterPaths = ({ conditions }: Filter): string[] =>
  [...new Set(conditions.map(({ path }) => path))].sort();
