import { DatabaseFault } from '../database/database-fault';
import { isRefusal, snowflakeFaultOf } from './snowflake-fault';

const failing = {
  ...{ password: 'secret', unreachable: undefined },
  signal: new AbortController().signal,
};
const said = (code: string, message: string): Error =>
  Object.assign(new Error(message), { name: 'OperationFailedError', code });

it('passes on what the server says, without the password', () => {
  const error = said('390100', 'Incorrect secret');
  expect(snowflakeFaultOf(error, failing)).toMatchObject({
    kind: 'Refused',
    message: 'Incorrect ••••',
  });
  expect(snowflakeFaultOf(error, failing, 'InvalidQuery').kind).toBe('InvalidQuery');
});

it.each([
  ['100038', true],
  ['100078', true],
  ['002003', false],
  ['2003', false],
  ['000904', false],
  ['003001', false],
  ['390100', false],
])('%s is about a row: %s', (code, isOfRow) => {
  const error = said(code, 'no');
  expect(isRefusal(error)).toBe(isOfRow);
  expect(snowflakeFaultOf(error, failing).kind).toBe('Refused');
});

it.each([
  [403, 'Refused'],
  [404, 'Refused'],
  [400, 'Unreachable'],
  [503, 'Unreachable'],
])('%s in the place of an account is %s', (status, kind) => {
  const error = Object.assign(new Error('x'), { name: 'RequestFailedError', response: { status } });
  expect(snowflakeFaultOf(error, failing).kind).toBe(kind);
});

it.each(['000604', '000625', '000630', '390112'])('%s is no refusal', (code) => {
  const error = said(code, 'not now');
  expect(snowflakeFaultOf(error, failing)).toMatchObject({ kind: 'Unreachable' });
  expect(isRefusal(error)).toBe(false);
});

it('says why there was no answer, and repeats nothing of what the driver says', () => {
  const error = Object.assign(new Error('request to secret failed'), { name: 'NetworkError' });
  const unreachable = 'connection was refused';
  expect(snowflakeFaultOf(error, { ...failing, unreachable })).toMatchObject({
    kind: 'Unreachable',
    message: unreachable,
  });
  expect(snowflakeFaultOf(error, failing).message).not.toContain('secret');
  const signal = AbortSignal.abort();
  expect(snowflakeFaultOf(error, { ...failing, signal }).message).toBe(
    'there was no answer in time',
  );
});

it('keeps a fault', () => {
  const fault = new DatabaseFault('TableNotExist', 'x');
  expect(snowflakeFaultOf(fault, failing)).toBe(fault);
});
