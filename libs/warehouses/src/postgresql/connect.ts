import {
  connectPostgresql,
  type OpenedPostgresql,
  type PostgresqlTarget,
} from '@penstock/databases';
import type { GuardedSockets } from '@penstock/egress';
import { faultOf } from './fault';

/** What the server shows as the name of the application. */
export const APPLICATION_NAME = 'penstock-warehouse';

/**
 * Connects and logs in.
 *
 * @param signal ends the connection, with what is under way on it.
 * @throws WarehouseFault
 */
export const connect = async (
  target: PostgresqlTarget,
  sockets: GuardedSockets,
  signal: AbortSignal,
): Promise<OpenedPostgresql> => {
  try {
    return await connectPostgresql(target, { sockets, signal, applicationName: APPLICATION_NAME });
  } catch (error) {
    throw faultOf(error, target.password, signal);
  }
};
