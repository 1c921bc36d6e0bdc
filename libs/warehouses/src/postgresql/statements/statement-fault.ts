import { postgresqlFaultOf } from '@penstock/databases';
import { DatabaseError } from 'pg';
import { WarehouseFault } from '../../platform/warehouse';

/** SQLSTATE query_canceled. */
const CANCELLED = '57014';

/** SQLSTATE protocol_violation: the statement has parameters, and nobody gives them values. */
const WITHOUT_VALUES = '08P01';

/**
 * Why somebody else's statement has failed: `invalid` where the server refuses it.
 *
 * @returns the error itself where it says nothing of the statement.
 */
export const statementFault = (error: unknown, password: string, signal: AbortSignal): unknown => {
  if (!(error instanceof DatabaseError) || error.code === CANCELLED) return error;
  const { kind, message } = postgresqlFaultOf(error, password, signal);
  const isAway = kind === 'Unreachable' && error.code !== WITHOUT_VALUES;
  return new WarehouseFault(isAway ? 'unreachable' : 'invalid', message);
};
