import type { RefusalDetail, TrialStep } from '@penstock/contracts';
import { type Json, type JsonObject, pointer, writeJson } from '@penstock/schema';

/**
 * UTF-16 units of values that are shown beside a console: each takes up to eight bytes in a message of the log, where
 * they stand sealed.
 */
const MAX_VALUES_LENGTH = 60_000;

/** The members of an object, in their order, that fit. */
const fitting = (values: JsonObject): JsonObject => {
  const shown = new Map<string, Json>();
  let length = 0;
  for (const [name, value] of values) {
    const added = writeJson(new Map([[name, value]])).length;
    if (length + added > MAX_VALUES_LENGTH) continue;
    length += added;
    shown.set(name, value);
  }
  return shown;
};

/** A trial that came as far as a step. */
export interface TrialFailure {
  readonly step: TrialStep;
  /** Steps of the place in the request. */
  readonly at: readonly string[];
  readonly message: string;
  /** What came to the step; undefined when that was no JSON. */
  readonly values: JsonObject | undefined;
  readonly console: string;
}

/** What a refusal says of it. Values that are too long are left out, and it says so. */
export const trialDetail = ({ at, values, ...failure }: TrialFailure): RefusalDetail => {
  const detail = { path: pointer(...at), ...failure };
  if (values === undefined) return detail;
  const shown = fitting(values);
  const isCut = shown.size < values.size && ({ isCut: true } as const);
  return { ...detail, values: writeJson(shown), ...isCut };
};
