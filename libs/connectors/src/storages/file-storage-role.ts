import type { Connector } from '../connector/connector';

type Role = Pick<Connector, 'type' | 'categories' | 'asSource' | 'asDestination' | 'terms'>;

/**
 * What all storages have in common.
 *
 * @param summaries what each role is for; absent: the storage does not have the role.
 */
export const fileStorageRole = (summaries: {
  readonly source?: string;
  readonly destination?: string;
}): Role => {
  const { source, destination } = summaries;
  return {
    type: 'FileStorage',
    categories: ['File storage'],
    asSource: source === undefined ? null : { targets: ['User'], summary: source },
    asDestination:
      destination === undefined
        ? null
        : { targets: ['User'], sendingMode: 'Server', summary: destination },
    terms: null,
  };
};
