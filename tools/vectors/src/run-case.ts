import { inspect, isDeepStrictEqual } from 'node:util';
import type { Case } from './case';
import { FormatError } from './members';

const MAX_SHOWN = 1_000;

const shown = (value: unknown): string => {
  const text = inspect(value, { depth: 8, breakLength: 120, maxStringLength: MAX_SHOWN });
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

/** Runs a case. @returns the difference; undefined when it passes. Never throws. */
export const runCase = async ({ run }: Case): Promise<string | undefined> => {
  try {
    const { expected, actual } = await run();
    if (isDeepStrictEqual(actual, expected)) return undefined;
    return `expected ${shown(expected)}\ngot      ${shown(actual)}`;
  } catch (error) {
    return error instanceof FormatError ? error.message : `threw ${shown(error)}`;
  }
};
