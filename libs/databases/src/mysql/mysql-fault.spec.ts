import { DatabaseFault } from '../database/database-fault';
import { mysqlFaultOf } from './mysql-fault';

const open = new AbortController().signal;
const given = AbortSignal.abort();

const saidByServer = (errno: number, sqlMessage: string): Error =>
  Object.assign(new Error(sqlMessage), { errno, sqlState: '42000', sqlMessage });
const withCode = (code: string): Error => Object.assign(new Error('at 10.0.0.1'), { code });

type Row = [error: Error, signal: AbortSignal, kind: string, message: string];

it.each<Row>([
  [saidByServer(1045, 'Access denied'), open, 'InvalidQuery', 'Access denied'],
  [saidByServer(1040, 'Too many connections'), open, 'Unreachable', 'Too many connections'],
  [saidByServer(1053, 'shutdown'), open, 'Unreachable', 'shutdown'],
  [
    saidByServer(1049, "Unknown database 'secret'"),
    open,
    'InvalidQuery',
    "Unknown database '••••'",
  ],
  [saidByServer(1317, 'interrupted'), given, 'Unreachable', 'there was no answer in time'],
  [
    withCode('HANDSHAKE_NO_SSL_SUPPORT'),
    open,
    'Refused',
    'server does not take encrypted connections',
  ],
  [withCode('ECONNREFUSED'), open, 'Unreachable', 'connection was refused'],
  [withCode('PROTOCOL_CONNECTION_LOST'), open, 'Unreachable', 'connection was lost'],
  [withCode('ECONNREFUSED'), given, 'Unreachable', 'there was no answer in time'],
])('%s', (error, signal, kind, message) => {
  expect(mysqlFaultOf(error, 'secret', signal, 'InvalidQuery')).toMatchObject({ kind, message });
});

it('a refusal is one of the settings unless it is said otherwise', () => {
  expect(mysqlFaultOf(saidByServer(1045, 'no'), '', open)).toMatchObject({ kind: 'Refused' });
});

it('a fault stays as it is', () => {
  const fault = new DatabaseFault('TableNotExist', 'none');
  expect(mysqlFaultOf(fault, '', given)).toBe(fault);
});

it.each([new TypeError('a bug'), 'no error'])('a bug is none: %s', (bug) => {
  expect(() => mysqlFaultOf(bug, '', open)).toThrow(bug);
});
