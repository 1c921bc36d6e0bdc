import type { GatheredChanges } from '../progress/gathered-changes';
import type { DeliveryKey, Ending } from '../store/changes';
import type { OfRedrive } from './delivery';

/** A row that ends. */
interface EndingRow extends DeliveryKey {
  readonly version: number;
  readonly attempts: number;
  readonly redrive: OfRedrive | null;
}

/** Records the ending of a row: of one that waits, or of a dead letter that is redriven. */
export const settleRow = (
  { settled, redriven }: GatheredChanges,
  { offset, pipeline, version, attempts, redrive }: EndingRow,
  ending: Ending,
  atMs: number,
): void => {
  if (redrive === null) settled.push({ offset, pipeline, ending });
  else {
    const { job, before } = redrive;
    const endings = { before, now: ending };
    redriven.push({ job, offset, pipeline, version, attempts, endings, atMs });
  }
};
