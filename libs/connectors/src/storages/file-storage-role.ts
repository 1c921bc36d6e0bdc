import type { Connector } from '../connector/connector';

type Role = Pick<Connector, 'type' | 'categories' | 'asSource' | 'asDestination' | 'terms'>;

/** What all storages have in common whose files can only be read. */
export const fileStorageRole = (summary: string): Role => ({
  type: 'FileStorage',
  categories: ['File storage'],
  asSource: { targets: ['User'], summary },
  asDestination: null,
  terms: null,
});
