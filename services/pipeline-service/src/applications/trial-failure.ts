import type { RefusalDetail, TrialStep } from '@penstock/contracts';
import { type Json, type JsonObject, pointer, writeJson } from '@penstock/schema';

/**
 * Limit of the values returned with a console, in UTF-16 units. Each takes up to eight bytes in the message of the log,
 * which is sealed.
 */
const MAX_VALUES_LENGTH = 60_000;

/** The members of an object, in their order, that fit within the limit. */
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

/** A trial that failed in a step. */
export interface TrialFailure {
  readonly step: TrialStep;
  /** Path of the failed member in the request. */
  readonly at: readonly string[];
  readonly message: string;
  /** Input of the step; undefined when it was not JSON. */
  readonly values: JsonObject | undefined;
  readonly console: string;
}

/** The detail of a refusal for a failed trial. Members that are too long are left out, and `isCut` is set. */
export const trialDetail = ({ at, values, ...failure }: TrialFailure): RefusalDetail => {
  const detail = { path: pointer(...at), ...failure };
  if (values === undefined) return detail;
  const shown = fitting(values);
  const isCut = shown.size < values.size && ({ isCut: true } as const);
  return { ...detail, values: writeJson(shown), ...isCut };
};
