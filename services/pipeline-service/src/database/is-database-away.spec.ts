import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { isDatabaseAway } from './is-database-away';

const withCode = (code: string): Error => Object.assign(new Error('text'), { code });

it.each([
  ...['08006', '53100', '53300', '57P01', '57P03', '25006', '25P03', '40001', '40P01', '55P03'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
])('code %s means that it is', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(true);
  expect(isDatabaseAway(new QueryFailedError('SELECT 1', [], withCode(code)))).toBe(true);
});

it.each(['23505', '22021', '42P01', '42703', '57014', 'PipelineNotExist', 'ERR_INVALID_ARG_TYPE'])(
  'with code %s it is not',
  (code) => {
    expect(isDatabaseAway(withCode(code))).toBe(false);
    expect(isDatabaseAway(new QueryFailedError('SELECT 1', [], withCode(code)))).toBe(false);
  },
);

it.each([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
])('%p means that it is', (message) => {
  expect(isDatabaseAway(new Error(message))).toBe(true);
});

it('the missing socket of a server means that it is, another missing file does not', () => {
  const missing = (syscall: string): Error =>
    Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall });
  expect(isDatabaseAway(missing('connect'))).toBe(true);
  expect(isDatabaseAway(missing('open'))).toBe(false);
});

it('a session that is lost in a transaction means that it is', () => {
  expect(isDatabaseAway(new QueryRunnerAlreadyReleasedError())).toBe(true);
  expect(isDatabaseAway(new QueryRunnerProviderAlreadyReleasedError())).toBe(true);
});

it.each([
  new TypeError('x is not a function'),
  new Error('no'),
  'Connection terminated',
  undefined,
])('%p does not mean that it is', (error) => {
  expect(isDatabaseAway(error)).toBe(false);
});
