import type { ImportDefinition } from '@penstock/contracts';

type Definition = Omit<ImportDefinition, 'name' | 'enabled'>;

/** All that decides what is read of a source and what becomes of it. */
const contentOf = ({ filter, transformation, outSchema, imports }: Definition): string =>
  JSON.stringify([filter, transformation, outSchema, imports.source, imports.inSchema]);

/**
 * Whether an update of an import makes its next run a full one: what was read before would be read or mapped in another
 * way now, or the pipeline is no longer incremental. Its name and its status do not matter.
 */
export const clearsCursor = (before: Definition, after: Definition): boolean =>
  contentOf(before) !== contentOf(after) ||
  (before.imports.incremental && !after.imports.incremental);
