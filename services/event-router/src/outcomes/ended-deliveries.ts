import { type EndedDeliveries, instant } from '@penstock/contracts';
import type { OutcomeRecord } from '../store/changes';

/** Offsets per entry. Must not change: records that are appended again must equal the first ones. */
const MAX_OFFSETS = 1_000;

const isAlike = (one: OutcomeRecord, other: OutcomeRecord): boolean =>
  one.atMs === other.atMs &&
  one.pipeline === other.pipeline &&
  one.version === other.version &&
  one.state === other.state &&
  one.code === other.code &&
  one.attempts === other.attempts &&
  one.status === other.status;

const endedOf = (
  { pipeline, version, state, code, attempts, atMs, status }: OutcomeRecord,
  offsets: readonly number[],
): EndedDeliveries => ({
  pipeline,
  version,
  state,
  code,
  attempts,
  at: instant(new Date(atMs)),
  status: state === 'Delivered' || status === 0 ? null : status,
  offsets,
});

/** Generates the entries of the topic: neighbouring outcomes that differ only in their offsets share one entry. */
export function* endedDeliveries(
  outcomes: readonly OutcomeRecord[],
): Generator<EndedDeliveries, void> {
  let first: OutcomeRecord | undefined;
  let offsets: number[] = [];
  for (const outcome of outcomes) {
    first ??= outcome;
    if (offsets.length === MAX_OFFSETS || !isAlike(first, outcome)) {
      yield endedOf(first, offsets);
      first = outcome;
      offsets = [];
    }
    offsets.push(outcome.offset);
  }
  if (first !== undefined) yield endedOf(first, offsets);
}
