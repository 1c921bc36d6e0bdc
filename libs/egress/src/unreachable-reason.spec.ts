import { EgressRefused } from './guarded-lookup';
import { unreachableReason } from './unreachable-reason';

const withCode = (code: string): Error => Object.assign(new Error('a secret'), { code });

it.each([
  [withCode('ENOTFOUND'), 'host name cannot be resolved'],
  [withCode('ECONNREFUSED'), 'connection was refused'],
  [withCode('CERT_HAS_EXPIRED'), 'TLS connection is not trusted (CERT_HAS_EXPIRED)'],
  [new AggregateError([withCode('ETIMEDOUT')], 'a secret'), 'connection timed out'],
  [new EgressRefused(), 'address is not allowed by the egress rules'],
  [withCode('EISDIR'), undefined],
  [new Error('a secret'), undefined],
])('%s', (error, reason) => {
  expect(unreachableReason(error)).toBe(reason);
});
