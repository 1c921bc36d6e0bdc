import { borrowServer } from '@penstock/test-servers';
import { join } from 'node:path';
import type { ClickhouseOptions, LocalClickhouse } from './start-clickhouse';

/** A server that all specs of a run share: databases of a spec have random names. */
export type SharedClickhouse = Pick<LocalClickhouse, 'port' | 'username' | 'password'>;

/**
 * Returns the ClickHouse that all specs of a run share.
 *
 * @param users which it has beside the administrator: the same for all specs, since it cannot be told of more.
 * @throws Error when it does not start.
 */
export const sharedClickhouse = (users: ClickhouseOptions['users']): Promise<SharedClickhouse> =>
  borrowServer({
    name: `ClickHouse for ${JSON.stringify(users)}`,
    module: join(__dirname, 'start-clickhouse'),
    start: 'startClickhouse',
    options: { users },
  });
