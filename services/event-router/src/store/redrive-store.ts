import type { JobId } from '@penstock/contracts';
import type { DeliveryKey, StoredDelivery } from './changes';
import type { JobPlace } from './jobs/job';
import type { RedriveRequest } from './redrive-request';

/** An order key with dead letters that a redrive has chosen and not ended. */
export interface ChosenKey {
  readonly orderKey: string;
  /** Their number; Infinity: more than {@link MOST_COUNTED}. */
  readonly rows: number;
  /** Milliseconds since 1970 of the next attempt of the first one; 0: at once. */
  readonly dueMs: number;
}

/** Most rows of a key that are counted, so that a page of keys is cheap whatever their lengths. */
export const MOST_COUNTED = 100;

/** How a dead letter had ended. */
export type DeadLetter = Pick<StoredDelivery, 'version' | 'step' | 'code' | 'body'> & {
  readonly state: 'Rejected' | 'Parked';
};

/** A dead letter that a redrive has chosen and not ended. */
export interface ChosenRow extends DeliveryKey {
  /** Attempts of this redrive. */
  readonly attempts: number;
  /** Milliseconds since 1970; 0: at once. */
  readonly dueMs: number;
  /** Why the last attempt of this redrive failed; empty: there was none. */
  readonly reason: string;
  /** `null`: it was erased meanwhile. */
  readonly deadLetter: DeadLetter | null;
}

/**
 * - more: another batch is to be chosen
 * - busy: another process chooses just now
 * - over: everything is chosen, or the job was cancelled
 */
export type Choosing = 'more' | 'busy' | 'over';

/** The dead letters that redrives have chosen. All calls reject while the database is unavailable. */
export abstract class RedriveStore {
  /** The number of dead letters that a redrive with this request would choose now. */
  abstract count(place: JobPlace, request: RedriveRequest): Promise<number>;

  /** The number of dead letters that a redrive has chosen and has still to choose, as of one moment. */
  abstract countOf(id: JobId, place: JobPlace, request: RedriveRequest): Promise<number>;

  /**
   * Chooses the next dead letters for a job that is `Preparing`: those that had ended when it was created and that no
   * other open redrive has chosen. After the last ones the job is `Running`. Dead letters whose pipeline was
   * deleted, and those without a readable event, are left out. What is chosen is counted as `Chosen` for the job.
   */
  abstract choose(id: JobId): Promise<Choosing>;

  /** The order keys of a partition after `after`, in order, at most `limit`; none when the job is not `Running`. */
  abstract keys(
    id: JobId,
    partition: number,
    after: string | null,
    limit: number,
  ): Promise<readonly ChosenKey[]>;

  /**
   * The chosen dead letters of a key after `after`, in order: at most `limits.rows` rows and about `maxBytes` of bodies;
   * none when the job is not `Running`.
   */
  abstract rows(
    id: JobId,
    partition: number,
    orderKey: string,
    after: DeliveryKey | null,
    limits: { readonly rows: number; readonly maxBytes: number },
  ): Promise<readonly ChosenRow[]>;

  /**
   * Ends the redrives that nothing is left of, as `Succeeded`, and those that were cancelled and that no owner of a
   * partition works on any more, as `Cancelled`.
   */
  abstract endDone(): Promise<void>;
}
