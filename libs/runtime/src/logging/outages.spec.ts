import { Outages } from './outages';
import { currentRequestId, withRequestId } from './request-id';

type Line = readonly [level: string, msg: string, members: Readonly<Record<string, unknown>>];

const setUp = () => {
  const lines: Line[] = [];
  const requestIds: (string | undefined)[] = [];
  const at =
    (level: string) =>
    (members: object, msg = ''): void => {
      const { err: _, ...others } = members as Record<string, unknown>;
      lines.push([level, msg, others]);
      requestIds.push(currentRequestId());
    };
  const outages = new Outages({ error: at('error'), warn: at('warn'), info: at('info') });
  const fail = (what: string, cause = 'ECONNREFUSED', where?: Record<string, unknown>): void => {
    const err = new Error(what, { cause: Object.assign(new Error('no'), { code: cause }) });
    outages.report({ what, err, ...(where && { where }) });
  };
  return { lines, requestIds, outages, fail };
};

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000 });
});

afterEach(() => {
  jest.useRealTimers();
});

it('logs the first of each kind and cause, with where it happened and its level', () => {
  const { lines, fail, outages } = setUp();
  fail('no append', 'ECONNREFUSED', { partition: 3 });
  fail('no append', 'ECONNREFUSED', { partition: 4 });
  fail('no append', 'ETIMEDOUT');
  fail('no commit');
  outages.report({ what: 'no commit', err: 'lost', level: 'warn' });
  expect(lines).toEqual([
    ['error', 'no append', { partition: 3 }],
    ['error', 'no append', {}],
    ['error', 'no commit', {}],
    ['warn', 'no commit', {}],
  ]);
});

it('logs a fault that lasts again after a minute, not before, with the number of those between', () => {
  const { lines, fail } = setUp();
  fail('no append');
  jest.advanceTimersByTime(1);
  fail('no append');
  jest.advanceTimersByTime(59_998);
  fail('no append');
  expect(lines).toHaveLength(1);
  jest.advanceTimersByTime(1);
  fail('no append');
  expect(lines[1]).toEqual(['error', 'no append', { alike: 2, lastedSeconds: 60 }]);
  jest.advanceTimersByTime(59_999);
  fail('no append');
  expect(lines).toHaveLength(2);
});

it('says once that it is over when what failed has succeeded, never by silence, and how long it lasted', () => {
  const { lines, fail, outages } = setUp();
  fail('no append', 'ECONNREFUSED', { topic: 'outcomes' });
  jest.advanceTimersByTime(20_000);
  fail('no append');
  fail('no commit');
  fail('no commit');
  jest.advanceTimersByTime(500_000);
  expect(lines).toHaveLength(2);
  outages.succeeded('no append');
  outages.succeeded('no append');
  expect(lines.slice(2)).toEqual([
    ['info', 'over: no append', { topic: 'outcomes', lastedSeconds: 20 }],
  ]);
});

it.each([
  ['logs on what comes again within ten minutes', 599_999, { alike: 1, lastedSeconds: 600 }],
  ['begins again with what comes after ten minutes', 600_000, {}],
])('%s', (_, ms, members) => {
  const { lines, fail } = setUp();
  fail('no append');
  fail('no append');
  jest.advanceTimersByTime(ms);
  fail('no append');
  expect(lines.slice(1)).toEqual([['error', 'no append', members]]);
});

it('does not call over what came only once', () => {
  const { lines, fail, outages } = setUp();
  fail('no append');
  outages.succeeded('no append');
  expect(lines).toHaveLength(1);
});

it('does not count the end of an outage to the request that met it first', () => {
  const { requestIds, fail, outages } = setUp();
  withRequestId('request-1', () => {
    fail('no append');
    fail('no append');
    outages.succeeded('no append');
  });
  expect(requestIds).toEqual(['request-1', undefined]);
});

it('remembers a bounded number of outages: those that began last', () => {
  const { lines, fail } = setUp();
  for (let nth = 0; nth < 101; nth += 1) fail(`fault ${String(nth)}`);
  fail('fault 1');
  expect(lines).toHaveLength(101);
  fail('fault 0');
  expect(lines).toHaveLength(102);
});
