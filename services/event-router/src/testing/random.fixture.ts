import type { Parameters } from 'fast-check';
import { IS_LONG } from './model/model-runs.fixture';

/** Random tests repeat the same values, so that a failure is one of the change; the long form tries new ones. */
export const RANDOM: Pick<Parameters<unknown>, 'seed'> = IS_LONG ? {} : { seed: 1 };
