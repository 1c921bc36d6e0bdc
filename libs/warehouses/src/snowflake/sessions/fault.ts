import { DatabaseFault, snowflakeCodeOf, type SnowflakeSession } from '@penstock/databases';
import { WarehouseFault, type WarehouseFaultKind } from '../../platform/warehouse';

/**
 * Somebody else holds what is needed, or a statement has taken too long, as it does behind somebody who holds it. Source:
 * Snowflake, messages of its errors.
 */
const LOCKED: readonly (string | undefined)[] = ['000625', '000630', '000631'];

const kindOf = (error: unknown, { kind }: DatabaseFault): WarehouseFaultKind => {
  if (LOCKED.includes(snowflakeCodeOf(error))) return 'locked';
  return kind === 'Unreachable' ? 'unreachable' : 'unusable';
};

/** Why it failed: the server's own words, else words for what became of the connection. @param session absent: there is none */
export const faultOf = (
  error: unknown,
  session?: Pick<SnowflakeSession, 'faultOf'>,
): WarehouseFault => {
  if (error instanceof WarehouseFault) return error;
  const fault = session?.faultOf(error) ?? error;
  if (!(fault instanceof DatabaseFault)) throw error;
  return new WarehouseFault(kindOf(error, fault), fault.message);
};

/** Whether a session can go on: the server has refused something, and is not ending. */
export const isUsableAfter = (error: unknown, { kind }: WarehouseFault): boolean =>
  error instanceof WarehouseFault
    ? kind !== 'unreachable' && kind !== 'locked'
    : snowflakeCodeOf(error) !== undefined && kind === 'unusable';
