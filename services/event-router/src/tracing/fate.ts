import type { StoredDeliveryView, TracedState } from '@penstock/contracts';
import type { AttemptRecord, OutcomeRecord } from '../store/changes';

/** What the configuration of then says about an event and a pipeline. */
export type Verdict = 'Matched' | 'Unmatched' | 'OptedOut' | 'Disabled';

/** What is known of an event's delivery through one pipeline. */
export interface FateSources {
  /** Undefined: unknown, since the event or the pipeline of then is. */
  readonly verdict: Verdict | undefined;
  readonly stored: StoredDeliveryView | undefined;
  readonly outcome: OutcomeRecord | undefined;
  /** Its failed attempts, in order. */
  readonly attempts: readonly AttemptRecord[];
  readonly isSuppressed: boolean;
  /** Whether the live reader has passed the event. */
  readonly isRouted: boolean;
  /** Whether the destination, or the event's key, has yet to be given the event from the log. */
  readonly isBehind: boolean;
  /** Whether the ending would be found if there were one. */
  readonly isRecorded: boolean;
}

/** How a delivery stands. Times in milliseconds since 1970. */
export interface Fate {
  readonly state: TracedState;
  readonly step: string | null;
  readonly code: string;
  readonly reason: string;
  readonly endedAtMs: number | null;
  readonly nextAttemptMs: number | null;
  readonly attemptCount: number;
}

const NOTHING: Omit<Fate, 'state'> = {
  step: null,
  code: '',
  reason: '',
  endedAtMs: null,
  nextAttemptMs: null,
  attemptCount: 0,
};

const FILTERED: Readonly<Record<Exclude<Verdict, 'Matched'>, string>> = {
  Unmatched: '',
  OptedOut: 'OptedOut',
  Disabled: 'Disabled',
};

const filtered = (code: string): Fate => ({ ...NOTHING, state: 'Filtered', step: 'Filter', code });

/** The step of an ending without a row: rejections of a transformation have no code. */
const stepOf = ({ state, code }: OutcomeRecord): string | null => {
  if (state === 'Filtered') return 'Filter';
  return state === 'Rejected' && code === '' ? null : 'Finalize';
};

const msOf = (instant: string | null): number | null =>
  instant === null ? null : Date.parse(instant);

const ofStored = (stored: StoredDeliveryView): Fate => ({
  ...stored,
  endedAtMs: msOf(stored.endedAt),
  nextAttemptMs: msOf(stored.nextAttemptAt),
  attemptCount: stored.attempts,
});

const ofOutcome = (outcome: OutcomeRecord): Fate => ({
  ...NOTHING,
  state: outcome.state === 'Duplicate' ? 'Filtered' : outcome.state,
  code: outcome.code,
  step: stepOf(outcome),
  endedAtMs: outcome.atMs,
  attemptCount: outcome.attempts,
});

const ofOpen = ({ attempts, isBehind }: FateSources): Fate => {
  const last = attempts.at(-1);
  return {
    ...NOTHING,
    state: 'Open',
    reason: isBehind ? 'it is read from the log again in its turn' : (last?.reason ?? ''),
    nextAttemptMs: last === undefined || last.dueMs === 0 ? null : last.dueMs,
    attemptCount: last?.attempt ?? 0,
  };
};

/**
 * How a delivery stands. Each matched delivery below the position of its lane is stored, or has ended once, or is open: so
 * one without a row or an ending is open, where its ending would be found.
 */
export const fateOf = (sources: FateSources): Fate => {
  const { verdict, stored, outcome, isSuppressed, isRouted, isBehind, isRecorded } = sources;
  if (stored !== undefined) return ofStored(stored);
  if (outcome !== undefined) return ofOutcome(outcome);
  if (verdict === undefined) return { ...NOTHING, state: 'Unknown' };
  if (verdict !== 'Matched') return filtered(FILTERED[verdict]);
  if (isSuppressed) return filtered('Suppressed');
  if (!isRouted && !isBehind) return { ...NOTHING, state: 'Unread' };
  return isRecorded ? ofOpen(sources) : { ...NOTHING, state: 'Unknown' };
};
