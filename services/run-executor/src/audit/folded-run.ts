import type {
  CancelReason,
  Microtime,
  RunFact,
  RunPosition,
  RunStatus,
  StepCounts,
} from '@penstock/contracts';
import { cleanText } from '../store/clean-text';

/** A run as its facts make it, with the names that the API uses where it shows the member. */
export interface FoldedRun {
  readonly workspace: string;
  readonly pipeline: string;
  readonly connection: string;
  readonly pipelineName: string;
  readonly pipelineVersion: number | null;
  readonly trigger: string;
  readonly replayMode: string | null;
  readonly incremental: boolean | null;
  readonly startingCursor: Microtime | null;
  readonly startTime: string;
  readonly status: RunStatus;
  /** `undefined`: it has ended by a fact of an earlier release, which did not say when. */
  readonly endTime: string | null | undefined;
  readonly passed: StepCounts;
  readonly failed: StepCounts;
  readonly error: string;
  readonly attempt: number;
  readonly purged: number;
  readonly warnings: readonly string[];
  readonly cancel: CancelReason | null;
  readonly sequence: number;
  readonly position: RunPosition;
  readonly cursor: Microtime | null;
  readonly duplicates: number;
  readonly withoutId: number;
}

type FactOf<Type extends RunFact['type']> = Extract<RunFact, { type: Type }>;
type Accepted = FactOf<'RunAccepted' | 'ReplayAccepted'>;
type Ending = FactOf<'RunSucceeded' | 'RunFailed' | 'RunCancelled'>;

const NONE: StepCounts = [0, 0, 0, 0, 0, 0];

const START: RunPosition = { kind: 'start' };

const UNREAD = {
  ...{ passed: NONE, failed: NONE, position: START, cursor: null },
  ...{ duplicates: 0, withoutId: 0 },
};

const begun = ({ type, data }: Accepted): FoldedRun => ({
  ...UNREAD,
  ...{ workspace: data.workspace, pipeline: data.pipeline, connection: data.connection },
  pipelineName: cleanText(data.pipelineName),
  ...{ pipelineVersion: data.pipelineVersion, trigger: data.trigger },
  replayMode: type === 'ReplayAccepted' ? data.mode : null,
  incremental: type === 'RunAccepted' ? data.incremental : null,
  startingCursor: type === 'RunAccepted' ? data.cursor : null,
  startTime: data.requestedAt,
  // Routers perform a replay of events from its start; no executor takes it up.
  ...(type === 'ReplayAccepted'
    ? { status: 'Running', attempt: 1 }
    : { status: 'Queued', attempt: 0 }),
  ...{ endTime: null, error: '', purged: 0, warnings: [], cancel: null, sequence: 0 },
});

const sum = (one: StepCounts, other: StepCounts): StepCounts =>
  one.map((count, step) => count + (other[step] ?? 0));

const isEqual = (one: StepCounts, other: StepCounts): boolean =>
  one.length === other.length && one.every((count, step) => count === other[step]);

const settled = (run: FoldedRun, { data }: FactOf<'BatchSettled'>): FoldedRun => ({
  ...run,
  ...{ sequence: data.sequence, position: data.position, cursor: data.cursor },
  passed: sum(run.passed, data.passed),
  failed: sum(run.failed, data.failed),
  duplicates: run.duplicates + data.duplicates,
  withoutId: run.withoutId + data.withoutId,
  warnings: [...run.warnings, ...data.warnings.map(cleanText)],
});

const ended = (run: FoldedRun, { data }: Ending): FoldedRun => ({
  ...run,
  ...{ status: data.status, passed: data.passed, failed: data.failed, purged: data.purged },
  ...{ cursor: data.cursor, endTime: data.endedAt, error: cleanText(data.error) },
  warnings: data.warnings.map(cleanText),
});

/** Totals are the sum of the batches; a replay of events has no other numbers than those of its end. */
const isTotal = (run: FoldedRun, { data }: Ending): boolean =>
  run.replayMode !== null || (isEqual(run.passed, data.passed) && isEqual(run.failed, data.failed));

const isLive = ({ status }: FoldedRun): boolean => status === 'Queued' || status === 'Running';

/**
 * The run after a fact; undefined where the fact cannot follow: before the first one or after the end, under another
 * claim than the newest, with a batch that has gone before, or with totals that are no sum.
 *
 * @param run undefined: it is the first fact.
 */
export const runAfter = (run: FoldedRun | undefined, fact: RunFact): FoldedRun | undefined => {
  if (fact.type === 'RunAccepted' || fact.type === 'ReplayAccepted')
    return run === undefined ? begun(fact) : undefined;
  if (run === undefined || !isLive(run)) return undefined;
  switch (fact.type) {
    case 'RunClaimed': {
      // Every claim has the next epoch, from 1.
      const attempt = run.attempt + 1;
      return fact.data.epoch === attempt ? { ...run, status: 'Running', attempt } : undefined;
    }
    case 'BatchSettled': {
      const isNext = fact.data.epoch === run.attempt && fact.data.sequence > run.sequence;
      return isNext ? settled(run, fact) : undefined;
    }
    case 'RunWaiting':
      return fact.data.epoch === run.attempt ? run : undefined;
    case 'ReadingRestarted':
      return fact.data.epoch === run.attempt ? { ...run, ...UNREAD } : undefined;
    case 'RunCancelRequested':
      return run.cancel === null ? { ...run, cancel: fact.data.reason } : undefined;
    case 'RunSucceeded':
    case 'RunFailed':
    case 'RunCancelled':
      return isTotal(run, fact) ? ended(run, fact) : undefined;
  }
};
