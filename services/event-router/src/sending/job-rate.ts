import type { SharedRateContext } from './shared-rate';
import type { DestinationId } from '../store/lane-id';

/** The part of a connection's rate and concurrency that its jobs take, so that live deliveries are not slowed. */
export const JOBS_PART = 0.2;

type TakeTokens = SharedRateContext['takeTokens'];

/**
 * Takes tokens for a job's lane: at most the part of the rate that all jobs on the connection share, and each of them
 * from the connection's own rate too, which its application allows for everything.
 */
export const takeTokensOfJobs =
  (takeTokens: TakeTokens, connection: DestinationId): TakeTokens =>
  async (wanted) => {
    const given = await takeTokens({
      rate: `jobs:${connection}`,
      ratePerSecond: wanted.ratePerSecond * JOBS_PART,
      burst: Math.max(1, wanted.burst * JOBS_PART),
      count: wanted.count,
    });
    return given.count === 0 ? given : takeTokens({ ...wanted, count: given.count });
  };
