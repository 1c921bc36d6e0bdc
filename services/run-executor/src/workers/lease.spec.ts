import { LeaseLost } from '../engine/lease-lost';
import { Lease } from './lease';

const LEASE_MS = 10_000;
const RENEW_MS = 3_000;

/** A claim whose renewals are answered as the test says. @param askedMsAgo when the claim was asked for */
const leaseOf = (renew: () => Promise<boolean>, askedMsAgo = 0) => {
  const lost: LeaseLost[] = [];
  const errors: unknown[] = [];
  let renewals = 0;
  const lease = new Lease(
    {
      ...{ leaseMs: LEASE_MS, renewMs: RENEW_MS },
      renew: () => {
        renewals += 1;
        return renew();
      },
      onLost: (error) => lost.push(error),
      onError: (error) => errors.push(error),
    },
    performance.now() - askedMsAgo,
  );
  return { lease, lost, errors, renewals: () => renewals };
};

const never = (): Promise<boolean> => new Promise(() => undefined);
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('holds while it is renewed, and is renewed no more once it is stopped', async () => {
  const { lease, lost, renewals } = leaseOf(() => Promise.resolve(true));
  await pass(5 * LEASE_MS);
  expect(lost).toEqual([]);
  expect(renewals()).toBe(16);
  lease.stop();
  await pass(5 * LEASE_MS);
  expect([renewals(), lost]).toEqual([16, []]);
  expect(jest.getTimerCount()).toBe(0);
});

it('is lost once, when the database says so', async () => {
  const { lost } = leaseOf(() => Promise.resolve(false));
  await pass(RENEW_MS - 1);
  expect(lost).toEqual([]);
  await pass(1);
  expect(lost).toEqual([expect.any(LeaseLost)]);
  await pass(LEASE_MS);
  expect(lost).toHaveLength(1);
});

it('is lost a lease after it was asked for, not after the answer', async () => {
  const { lost } = leaseOf(never, 1_000);
  await pass(LEASE_MS - 1_001);
  expect(lost).toEqual([]);
  await pass(1);
  expect(lost).toHaveLength(1);
});

it('is held from the moment before its renewal was asked for', async () => {
  let isFirst = true;
  const { lost } = leaseOf(() => {
    if (!isFirst) return never();
    isFirst = false;
    return new Promise((resolve) => setTimeout(() => resolve(true), 2_000));
  });
  await pass(RENEW_MS + LEASE_MS - 1);
  expect(lost).toEqual([]);
  await pass(1);
  expect(lost).toHaveLength(1);
});

it('is renewed again after a failure, and reports it', async () => {
  let attempts = 0;
  const { lost, errors } = leaseOf(() => {
    attempts += 1;
    return attempts === 1 ? Promise.reject(new Error('away')) : Promise.resolve(true);
  });
  await pass(3 * LEASE_MS);
  expect(lost).toEqual([]);
  expect(errors).toHaveLength(1);
});
