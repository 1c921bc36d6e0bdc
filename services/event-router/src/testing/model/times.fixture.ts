import type { PipelineId } from '@penstock/contracts';
import { deliveryName } from './endings.fixture';
import type { Stored } from './storage.fixture';

/** Deliveries that were made, and requests beyond the first, of one pipeline. */
interface Sums {
  delivered: number;
  retries: number;
}

const sumsOf = (sums: Map<PipelineId, Sums>, pipeline: PipelineId): Sums => {
  const known = sums.get(pipeline) ?? { delivered: 0, retries: 0 };
  sums.set(pipeline, known);
  return known;
};

/** Checks that the first ending of each delivery, not those by redrives, is in the counted latencies and retries once. */
export const timesFaults = ({ times, outcomes }: Stored): string[] => {
  const counted = new Map<PipelineId, Sums>();
  for (const { pipeline, retries, latencies } of times) {
    const sums = sumsOf(counted, pipeline);
    sums.retries += retries;
    for (const [, count] of latencies) sums.delivered += count;
  }
  const ended = new Map<PipelineId, Sums>();
  const known = new Set<string>();
  for (const outcome of outcomes) {
    const { pipeline, state, attempts } = outcome;
    const name = deliveryName(outcome, pipeline);
    if (known.has(name)) continue;
    known.add(name);
    const sums = sumsOf(ended, pipeline);
    if (state === 'Delivered') sums.delivered += 1;
    sums.retries += Math.max(0, attempts - 1);
  }
  return [...new Set([...counted.keys(), ...ended.keys()])].flatMap((pipeline) => {
    const [is, must] = [sumsOf(counted, pipeline), sumsOf(ended, pipeline)];
    return is.delivered === must.delivered && is.retries === must.retries
      ? []
      : [
          `${pipeline} has counted times of ${JSON.stringify(is)} instead of ${JSON.stringify(must)}`,
        ];
  });
};
