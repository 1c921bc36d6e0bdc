import { MAX_RESOLVED } from '../platform/resolver';

/** @throws RangeError unless a batch may take so many changed identities */
export const checkLimit = (limit: number): void => {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RESOLVED)
    throw new RangeError(`limit ${String(limit)}`);
};
