import { Refusal } from '@penstock/contracts';

/** Does something outside the configuration, before it is decided upon. @returns what gives or throws the outcome. */
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
