import { Refusal } from '@penstock/contracts';

/**
 * Does work outside the configuration ahead of a decision, which records its refusal as it records its own.
 *
 * @returns a function that returns the result of the work or throws its refusal.
 */
export const outcomeOf = async <T>(work: () => Promise<T>): Promise<() => T> => {
  try {
    const value = await work();
    return () => value;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return () => {
      throw error;
    };
  }
};
