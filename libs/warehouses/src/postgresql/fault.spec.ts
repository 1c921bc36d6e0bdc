import { DatabaseError } from 'pg';
import { WarehouseFault } from '../platform/warehouse';
import { faultOf } from './fault';

const open = new AbortController().signal;
const given = AbortSignal.abort();

const saidByServer = (code: string, message: string): DatabaseError =>
  Object.assign(new DatabaseError(message, message.length, 'error'), { code });
const withCode = (code: string): Error => Object.assign(new Error('at 10.0.0.1'), { code });

type Row = [error: Error, signal: AbortSignal, kind: string, message: string];

it.each<Row>([
  [saidByServer('28P01', 'no'), open, 'unusable', 'no'],
  [saidByServer('28P01', 'no'), given, 'unusable', 'no'],
  [saidByServer('53300', 'too many'), open, 'unreachable', 'too many'],
  [saidByServer('57P03', 'starting up'), open, 'unreachable', 'starting up'],
  [saidByServer('57014', 'statement timeout'), open, 'locked', 'statement timeout'],
  [saidByServer('3D000', 'no "secret" here'), open, 'unusable', 'no "••••" here'],
  [saidByServer('XX000', 'x'.repeat(501)), open, 'unusable', 'x'.repeat(500)],
  [withCode('ECONNREFUSED'), open, 'unreachable', 'connection was refused'],
  [withCode('ECONNREFUSED'), given, 'unreachable', 'there was no answer in time'],
  [withCode('EISDIR'), open, 'unreachable', 'connection was lost'],
  [new Error('Connection terminated'), open, 'unreachable', 'connection was lost'],
  [
    new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string'),
    open,
    'unusable',
    'authentication has failed: is the password missing?',
  ],
])('%s', (error, signal, kind, message) => {
  expect(faultOf(error, 'secret', signal)).toMatchObject({ kind, message });
});

it('leaves a fault as it is', () => {
  const fault = new WarehouseFault('busy', 'is being repaired');
  expect(faultOf(fault, '', given)).toBe(fault);
});

it.each([new TypeError('a bug'), 'no error'])('is none for a bug: %s', (bug) => {
  expect(() => faultOf(bug, '', open)).toThrow(bug);
});
