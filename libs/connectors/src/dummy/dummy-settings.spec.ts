import { Pool } from 'pg';
import { badPaths, checked } from '../settings-table.fixture';
import { dummyConnector } from './dummy-connector';
import { DummyStore } from './dummy-store';

const dummy = dummyConnector(new DummyStore(new Pool()));
const failure = { operation: 'send', at: 1, times: 1, status: 500 };

it('needs nothing and fills in defaults', () => {
  expect(checked(dummy, {})).toEqual({
    customerExportFailPercentage: 0,
    userCount: 10,
    pageSize: 100,
    failures: [],
  });
});

it.each<[object]>([
  [{ customerExportFailPercentage: 0 }],
  [{ customerExportFailPercentage: 100 }],
  [{ operationDelay: '24h' }],
  [{ urlForDispatchingEvents: 'http://127.0.0.1:9000/in' }],
  [{ userCount: 0 }],
  [{ userCount: 1_000_000 }],
  [{ pageSize: 1 }],
  [{ pageSize: 10_000 }],
  [{ failures: [failure, { ...failure, operation: 'read', status: 400 }] }],
  [{ failures: [{ ...failure, operation: 'upsert', status: 599 }] }],
  [{ failures: [{ ...failure, status: 'timeout' }] }],
  [{ failures: [{ ...failure, status: 'throw', at: 2_147_483_647, times: 2_147_483_647 }] }],
  [{ failures: Array.from({ length: 1_000 }, () => failure) }],
])('%j is good', (settings) => {
  expect(badPaths(dummy, settings)).toEqual([]);
});

it.each<[string, object]>([
  ['/customerExportFailPercentage', { customerExportFailPercentage: -1 }],
  ['/customerExportFailPercentage', { customerExportFailPercentage: 101 }],
  ['/operationDelay', { operationDelay: '25h' }],
  ['/operationDelay', { operationDelay: 200 }],
  ['/urlForDispatchingEvents', { urlForDispatchingEvents: 'ftp://example.com' }],
  ['/userCount', { userCount: -1 }],
  ['/userCount', { userCount: 1_000_001 }],
  ['/pageSize', { pageSize: 0 }],
  ['/pageSize', { pageSize: 10_001 }],
  ['/failures', { failures: failure }],
  ['/failures', { failures: Array.from({ length: 1_001 }, () => failure) }],
  ['/failures/0/operation', { failures: [{ ...failure, operation: 'delete' }] }],
  ['/failures/0/at', { failures: [{ ...failure, at: 0 }] }],
  ['/failures/0/at', { failures: [{ ...failure, at: 2_147_483_648 }] }],
  ['/failures/0/times', { failures: [{ ...failure, times: 0 }] }],
  ['/failures/0/status', { failures: [{ ...failure, status: 399 }] }],
  ['/failures/0/status', { failures: [{ ...failure, status: 600 }] }],
  ['/failures/0/status', { failures: [{ ...failure, status: 'refuse' }] }],
  ['/failures/0/status', { failures: [{ operation: 'send', at: 1, times: 1 }] }],
  ['/apiKey', { apiKey: 'x' }],
])('%s is bad in %j', (path, settings) => {
  expect(badPaths(dummy, settings)).toEqual([path]);
});
