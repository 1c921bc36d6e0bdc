import type { PipelineId } from '@penstock/contracts';
import type { OfRedrive, OfReplay } from '../lanes/delivery';
import type { KeyQueue } from '../lanes/key-queue';
import type { PageLimits } from '../lanes/row-room';
import { isOfJob, jobOf, type JobLaneId, type LaneId } from '../store/lane-id';
import type { DeliveryKey, StoredDelivery } from '../store/changes';
import type { ChosenRow, DeadLetter } from '../store/redrive-store';
import type { RouterStore } from '../store/router-store';

/** A row of a key: one that waits, a dead letter that is redriven, or a delivery of a replay. */
export type KeyRow = Pick<
  StoredDelivery,
  'offset' | 'pipeline' | 'version' | 'orderKey' | 'attempts' | 'reason' | 'body'
> & {
  /** `null`: it waits. */
  readonly redrive: OfRedrive | null;
  /** `null`: it is of no replay. */
  readonly replay: OfReplay | null;
  /** It is redriven or replayed, but was erased, or has left the log, meanwhile. */
  readonly isErased: boolean;
};

/** Reads the rows of a key after `after`, in order. Rejects while the database is unavailable. */
export type RowsAfter = (
  key: KeyQueue,
  after: DeliveryKey | null,
  limits: PageLimits,
) => Promise<readonly KeyRow[]>;

const ERASED: DeadLetter = { version: 0, state: 'Rejected', step: null, code: '', body: '' };

/**
 * Reads the rows of live lanes, of the lanes of redrives, and of lanes with rows of their own.
 *
 * @param presentVersion the newest version of a pipeline, with which its dead letters are redriven; undefined: it was
 *   deleted, and they keep theirs.
 */
export const rowsOfKey = (
  { waiting, chosen, ownRows }: RowSources,
  presentVersion: (pipeline: PipelineId) => number | undefined,
): RowsAfter => {
  const chosenRow = (lane: JobLaneId, orderKey: string, row: ChosenRow): KeyRow => {
    const { offset, pipeline, attempts, reason, deadLetter } = row;
    const { version, state, step, code, body } = deadLetter ?? ERASED;
    return {
      ...{ offset, pipeline, orderKey, attempts, reason, body },
      version: presentVersion(pipeline) ?? version,
      redrive: { job: jobOf(lane), before: { state, step: step ?? 'Finalize', code } },
      replay: null,
      isErased: deadLetter === null,
    };
  };
  return async (key, after, limits) => {
    const { partition, tally, id } = key;
    const { lane } = tally;
    const own = ownRows(lane);
    if (own !== undefined) return own(key, after, limits);
    if (!isOfJob(lane)) {
      const rows = await waiting(partition.number, lane, id, after, limits);
      return rows.map((row) => ({
        ...row,
        redrive: null,
        replay: null,
        isErased: false,
      }));
    }
    const rows = await chosen(jobOf(lane), partition.number, id, after, limits);
    return rows.map((row) => chosenRow(lane, id, row));
  };
};

/** Where rows are read from. */
interface RowSources {
  readonly waiting: RouterStore['waiting'];
  readonly chosen: RouterStore['redrives']['rows'];
  /** The rows of a lane that are in neither table; undefined: it has none. */
  readonly ownRows: (lane: LaneId) => RowsAfter | undefined;
}
