import { readAcceptedEvent, writeAcceptedEvent } from '@penstock/contracts';
import {
  countKey,
  type Counted,
  type DeliveryKey,
  type DeliveryTimes,
  type OutcomeRecord,
  type PartitionChanges,
  type StoredDelivery,
  timesKey,
} from '../store/changes';

const UNSTORABLE = {
  state: 'Rejected',
  step: 'Finalize',
  code: 'Unstorable',
} as const satisfies Counted;

const keyOf = ({ offset, pipeline }: DeliveryKey): string => `${String(offset)}/${pipeline}`;

/**
 * The record without its event and its message id, which the database may refuse. Workspace and source stay: the dead letter
 * is listed by them. Empty for a record that cannot be read.
 */
const headOf = (body: string): string => {
  try {
    const { workspace, source, seen, digest } = readAcceptedEvent(body);
    const head = { workspace, source, seen, digest, messageId: '', integrations: null };
    return writeAcceptedEvent({ ...head, eventText: '' });
  } catch {
    return '';
  }
};

/** The row as a dead letter without any value that the database could refuse. */
const emptied = (row: StoredDelivery): StoredDelivery => ({
  ...row,
  state: 'Rejected',
  step: 'Finalize',
  code: UNSTORABLE.code,
  reason: 'the database refuses to store the event',
  orderKey: '',
  body: headOf(row.body),
});

/** The times with the retries of a delivery that has ended now. */
const addRetries = (
  times: Map<string, DeliveryTimes>,
  { pipeline, attempts }: StoredDelivery,
  nowMs: number,
): void => {
  if (attempts <= 1) return;
  const key = timesKey(pipeline, nowMs);
  const { retries, latencies } = times.get(key) ?? { retries: 0, latencies: new Map() };
  times.set(key, { retries: retries + attempts - 1, latencies });
};

/** The outcome of the row's delivery, as unstorable. */
const outcomeOf = (
  { offset, pipeline, version, attempts }: StoredDelivery,
  atMs: number,
): OutcomeRecord => {
  const { state, code } = UNSTORABLE;
  return { offset, pipeline, version, state, code, attempts, atMs, status: 0, made: '' };
};

/**
 * The same changes, with the refused rows as dead letters without a body: a waiting delivery ends as `Unstorable`, and
 * a dead letter changes its code to it. The counts and the outcome are corrected, so that each delivery has one ending; what
 * was counted is taken back in the minute in which it was, so that no minute has a count below 0.
 */
export const withoutRefused = (
  changes: PartitionChanges,
  refused: readonly DeliveryKey[],
  nowMs: number,
): PartitionChanges => {
  const isRefused = new Set(refused.map(keyOf));
  const counts = new Map(changes.counts);
  const times = new Map(changes.times);
  const add = (key: string, count: number): void => {
    counts.set(key, (counts.get(key) ?? 0) + count);
  };
  const ended = new Map(changes.outcomes.map((outcome) => [keyOf(outcome), outcome]));
  const stored = changes.stored.map((row) => {
    if (!isRefused.has(keyOf(row))) return row;
    const { state, step, code, pipeline } = row;
    const before = ended.get(keyOf(row));
    add(countKey(pipeline, UNSTORABLE, nowMs), 1);
    if (state === 'Waiting') addRetries(times, row, nowMs);
    else if (step !== null)
      add(countKey(pipeline, { state, step, code }, before?.atMs ?? nowMs), -1);
    const { status = 0, made = '' } = before ?? {};
    ended.set(keyOf(row), { ...outcomeOf(row, nowMs), status, made });
    return emptied(row);
  });
  return { ...changes, counts, times, stored, outcomes: [...ended.values()] };
};
