import { IS_LONG, itEndsEveryDeliveryOnce } from './model-runs.fixture';

/**
 * Runs of each part. There are four parts, so that jest's workers share them. The seeds of the short form, 1 to 160, contain
 * one that catches each mutant of the router.
 */
const RUNS = IS_LONG ? 50_000 : 40;

/** Runs one part of the model's seeds with a database in memory. @param part from 1. */
export const itHoldsInPart = (part: number): void => {
  itEndsEveryDeliveryOnce({
    firstSeed: 1 + (part - 1) * RUNS,
    runs: RUNS,
    file: `router-model-${part}.spec`,
    project: 'unit',
  });
};
