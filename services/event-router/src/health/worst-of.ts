import { HEALTH_CAUSES, HEALTH_STATUSES } from '@penstock/contracts';
import type { Observation } from '../store/router-store';

const badnessOf = ({ code }: Observation): number =>
  HEALTH_STATUSES.indexOf(HEALTH_CAUSES[code].status);

const isWorse = (one: Observation, other: Observation): boolean =>
  badnessOf(one) > badnessOf(other) ||
  (badnessOf(one) === badnessOf(other) && one.sinceMs < other.sinceMs);

/**
 * The worst of what several routers have observed of each object, since the first of them has; it works only where no
 * router has observed a trouble.
 */
export const worstOf = (observations: readonly Observation[]): readonly Observation[] => {
  const worst = new Map<string, Observation>();
  for (const observation of observations) {
    const key = `${observation.subject} ${observation.id}`;
    const known = worst.get(key);
    if (known === undefined || isWorse(observation, known)) worst.set(key, observation);
  }
  return [...worst.values()];
};
