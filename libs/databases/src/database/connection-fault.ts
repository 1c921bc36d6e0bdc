import { EgressRefused, unreachableReason } from '@penstock/egress';
import { DatabaseFault } from './database-fault';

/** Why a connection has failed: only an address that the operator does not allow stays refused. */
export const connectionFault = (error: Error): DatabaseFault =>
  new DatabaseFault(
    error instanceof EgressRefused ? 'Refused' : 'Unreachable',
    unreachableReason(error) ?? 'connection was lost',
  );
