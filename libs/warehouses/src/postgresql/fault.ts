import { DatabaseFault, postgresqlFaultOf } from '@penstock/databases';
import { DatabaseError } from 'pg';
import { WarehouseFault, type WarehouseFaultKind } from '../platform/warehouse';
import { RAISED } from './layout/raised';

/**
 * SQLSTATE lock_not_available, deadlock_detected: somebody else holds what is needed. query_canceled: a statement has taken
 * too long, as it does behind somebody who holds a table.
 */
const LOCKED: readonly string[] = ['55P03', '40P01', '57014'];

const isRaised = (code: string): code is keyof typeof RAISED => code in RAISED;

const kindOf = (error: unknown, { kind }: DatabaseFault): WarehouseFaultKind => {
  if (error instanceof DatabaseError && isRaised(error.code ?? ''))
    return RAISED[error.code as keyof typeof RAISED];
  if (error instanceof DatabaseError && LOCKED.includes(error.code ?? '')) return 'locked';
  return kind === 'Unreachable' ? 'unreachable' : 'unusable';
};

/**
 * Why it failed: the server's own words, else words for what became of the connection.
 *
 * @throws the error itself when it is a bug.
 */
export const faultOf = (error: unknown, password: string, signal: AbortSignal): WarehouseFault => {
  if (error instanceof WarehouseFault) return error;
  const fault = postgresqlFaultOf(error, password, signal);
  return new WarehouseFault(kindOf(error, fault), fault.message);
};
