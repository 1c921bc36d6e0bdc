import type { Connector } from '../connector/connector';

type Role = Pick<Connector, 'type' | 'categories' | 'asSource' | 'asDestination' | 'terms'>;

/** What all databases have in common that can only be read. */
export const databaseRole = (summary: string): Role => ({
  type: 'Database',
  categories: ['Database'],
  asSource: { targets: ['User'], summary },
  asDestination: null,
  terms: null,
});
