import { classify } from './classify';

const answered = (status: number, body = '', headers: Record<string, string> = {}) => ({
  status,
  headers,
  body,
});

const reading = { secrets: [], nowMs: 0 };

it.each([
  [199, 'rejected'],
  [200, 'delivered'],
  [299, 'delivered'],
  [300, 'rejected'],
  [304, 'rejected'],
  [308, 'rejected'],
  [400, 'rejected'],
  [401, 'unavailable'],
  [402, 'rejected'],
  [403, 'unavailable'],
  [404, 'rejected'],
  [407, 'rejected'],
  [408, 'unavailable'],
  [409, 'rejected'],
  [424, 'rejected'],
  [425, 'unavailable'],
  [426, 'rejected'],
  [428, 'rejected'],
  [429, 'unavailable'],
  [430, 'rejected'],
  [499, 'rejected'],
  [500, 'unavailable'],
  [599, 'unavailable'],
])('%d is %s', (status, kind) => {
  expect(classify(answered(status), reading).kind).toBe(kind);
});

it("follows the destination's own list of successes", () => {
  const own = { ...reading, delivered: new Set([200, 409]) };
  expect(classify(answered(200), own)).toEqual({ kind: 'delivered', status: 200 });
  expect(classify(answered(409), own)).toEqual({ kind: 'delivered', status: 409 });
  expect(classify(answered(201), own)).toMatchObject({ kind: 'rejected' });
});

it('gives the reason of the destination', () => {
  expect(classify(answered(400, 'no\nsuch key abc'), { ...reading, secrets: ['abc'] })).toEqual({
    kind: 'rejected',
    status: 400,
    reason: 'answered 400: no such key ••••',
  });
  expect(classify(answered(400), reading)).toMatchObject({ reason: 'answered 400' });
});

it('passes on how long to wait, only where waiting helps', () => {
  const headers = { 'retry-after': '5' };
  expect(classify(answered(503, '', headers), reading)).toEqual({
    kind: 'unavailable',
    status: 503,
    reason: 'answered 503',
    retryAfterMs: 5_000,
  });
  expect(classify(answered(400, '', headers), reading)).not.toHaveProperty('retryAfterMs');
});
