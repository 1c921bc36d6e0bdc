import type { Connector } from '../connector/connector';

type Role = Pick<Connector, 'type' | 'categories' | 'asSource' | 'asDestination' | 'terms'>;

/** What all databases have in common. @param name for people, with its article */
export const databaseRole = (name: string): Role => ({
  type: 'Database',
  categories: ['Database'],
  asSource: { targets: ['User'], summary: `Reads users with a query on ${name}.` },
  asDestination: {
    targets: ['User'],
    sendingMode: 'Server',
    summary: `Writes profiles as rows of a table of ${name}.`,
  },
  terms: null,
});
