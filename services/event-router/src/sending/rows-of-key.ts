import type { PipelineId } from '@penstock/contracts';
import type { OfRedrive } from '../lanes/delivery';
import type { KeyQueue } from '../lanes/key-queue';
import { isOfJob, jobOf, type JobLaneId } from '../store/lane-id';
import type { DeliveryKey, StoredDelivery } from '../store/changes';
import type { ChosenRow, DeadLetter } from '../store/redrive-store';
import type { RouterStore } from '../store/router-store';

/** A row of a key: one that waits, or a dead letter that is redriven. */
export type KeyRow = Pick<
  StoredDelivery,
  'offset' | 'pipeline' | 'version' | 'orderKey' | 'attempts' | 'reason' | 'body'
> & {
  /** `null`: it waits. */
  readonly redrive: OfRedrive | null;
  /** It is redriven, but was erased meanwhile. */
  readonly isErased: boolean;
};

/** Bounds of one page of rows. */
interface PageLimits {
  readonly rows: number;
  readonly maxBytes: number;
}

/** Reads the rows of a key after `after`, in order. Rejects while the database is unavailable. */
export type RowsAfter = (
  key: KeyQueue,
  after: DeliveryKey | null,
  limits: PageLimits,
) => Promise<readonly KeyRow[]>;

const ERASED: DeadLetter = { version: 0, state: 'Rejected', step: null, code: '', body: '' };

/**
 * Reads the rows of live lanes, and of the lanes of redrives.
 *
 * @param presentVersion the newest version of a pipeline, with which its dead letters are redriven; undefined: it was
 *   deleted, and they keep theirs.
 */
export const rowsOfKey = (
  { waiting, chosen }: RowSources,
  presentVersion: (pipeline: PipelineId) => number | undefined,
): RowsAfter => {
  const chosenRow = (lane: JobLaneId, orderKey: string, row: ChosenRow): KeyRow => {
    const { offset, pipeline, attempts, reason, deadLetter } = row;
    const { version, state, step, code, body } = deadLetter ?? ERASED;
    return {
      ...{ offset, pipeline, orderKey, attempts, reason, body },
      version: presentVersion(pipeline) ?? version,
      redrive: { job: jobOf(lane), before: { state, step: step ?? 'Finalize', code } },
      isErased: deadLetter === null,
    };
  };
  return async ({ partition, tally: { lane }, id }, after, limits) => {
    if (!isOfJob(lane)) {
      const rows = await waiting(partition.number, lane, id, after, limits);
      return rows.map((row) => ({ ...row, redrive: null, isErased: false }));
    }
    const rows = await chosen(jobOf(lane), partition.number, id, after, limits);
    return rows.map((row) => chosenRow(lane, id, row));
  };
};

/** Where rows are read from. */
interface RowSources {
  readonly waiting: RouterStore['waiting'];
  readonly chosen: RouterStore['redrives']['rows'];
}
