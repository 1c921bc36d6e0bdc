import { IS_LONG, itEndsEveryDeliveryOnce } from './model-runs.fixture';

/** Runs of each part. There are four parts, so that jest's workers share them. */
const RUNS = IS_LONG ? 50_000 : 600;

/** Runs one part of the model's seeds with a database in memory. @param part from 1. */
export const itHoldsInPart = (part: number): void => {
  itEndsEveryDeliveryOnce({
    firstSeed: 1 + (part - 1) * RUNS,
    runs: RUNS,
    file: `router-model-${part}.spec`,
    project: 'unit',
  });
};
