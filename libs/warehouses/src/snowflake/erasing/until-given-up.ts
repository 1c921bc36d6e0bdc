import type { SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';

export type Rows = readonly (readonly (string | null)[])[];
export type Binds = readonly (string | null)[];

/** Executes statements on a session, each unless the work was given up before it. The function throws WarehouseFault then. */
export const untilGivenUp =
  (session: SnowflakeSession, signal: AbortSignal) =>
  (statement: string, binds: Binds = []): Promise<Rows> => {
    if (signal.aborted) throw new WarehouseFault('unreachable', 'was given up');
    return session.rows(statement, binds);
  };
