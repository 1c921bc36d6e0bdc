import { newId } from './new-id';

afterEach(() => jest.restoreAllMocks());

const at = (timeMs: number) => jest.spyOn(Date, 'now').mockReturnValue(timeMs);

it('is 20 characters of [0-9a-z]', () => expect(newId()).toMatch(/^[0-9a-z]{20}$/));

it('grows within a millisecond, over milliseconds, and while the clock is set back', () => {
  const start = Date.now() + 1_000;
  const ids = [0, 0, 0, 1, 36, 36, -60_000, -60_000, 37].map((offset) => {
    at(start + offset);
    return newId();
  });
  expect(ids).toEqual([...new Set(ids)].sort());
});

it('sorts by time over the centuries', () => {
  at(Date.UTC(2100, 0));
  const sooner = newId();
  at(Date.UTC(5000, 0));
  expect([newId(), sooner].sort()[0]).toBe(sooner);
  expect(newId()).toHaveLength(20);
});
