import type { RunPosition } from '@penstock/contracts';
import type { MatchWriter } from '@penstock/warehouses';
import type { Batch, BatchLimits } from './batches';
import type { ExportBatches } from './export-batches';
import { Furthest } from './furthest';
import type { Patience } from './patience';
import { readToEnd } from './read-to-end';
import { type RecordReading, type RecordSource, UNKNOWN_EXTENT } from './record-source';
import { atWarehouse } from './run-performance';
import { ALL_STEPS, Tally } from './tally';
import type { OpenedApplication } from './user-application';
import type { RunLedger } from './run-ledger';

/** What the users of an application are read with. */
export interface MatchReadingParts {
  readonly users: RecordSource;
  readonly matches: MatchWriter;
  readonly batches: ExportBatches;
  readonly ledger: RunLedger;
  readonly limits: BatchLimits;
  readonly patience: Patience;
}

/** Where the reading of users begins. */
export const USERS_START: RunPosition = { kind: 'page', cursor: '', offset: 0 };

const isStart = (position: RunPosition): boolean =>
  position.kind !== 'page' || (position.cursor === '' && position.offset === 0);

/**
 * Reads the users of an application and keeps their values, from where the last claim has come to. Nothing is counted.
 *
 * @throws WholeRunError, LeaseLost, Outdated, the signal's reason.
 */
export const readMatches = async (
  from: RunPosition,
  { userSchema: schema, textOf }: OpenedApplication,
  parts: MatchReadingParts,
  signal: AbortSignal,
): Promise<void> => {
  const { users, matches, batches, ledger, limits, patience } = parts;
  const insist = <T>(work: () => Promise<T>): Promise<T> => patience.insist('Finalize', work);
  const furthest = new Furthest();
  const forget = (): Promise<void> => insist(() => atWarehouse(() => matches.forget()));
  const onOpened = async ({ restarted }: RecordReading): Promise<void> => {
    if (restarted === null) return;
    furthest.beginAnew();
    await insist(() => ledger.restart(restarted, batches.number));
    await forget();
  };
  const handle = async ({ records, position }: Batch): Promise<void> => {
    const read = records.flatMap(({ id, values }) => {
      const value = textOf(values);
      return id === null || value === undefined ? [] : [{ externalId: id, value }];
    });
    await insist(() => atWarehouse(() => matches.put(read)));
    signal.throwIfAborted();
    const counts = new Tally(ALL_STEPS);
    await batches.settle({ counts, position, extent: UNKNOWN_EXTENT, warnings: [] }, insist);
    if (furthest.advance(records.length)) patience.progress();
  };
  if (isStart(from)) await forget();
  const isWanted = ({ id }: { readonly id: string | null }): boolean => id !== null;
  const reading = { source: users, schema, from, limits, patience, signal };
  await readToEnd({ ...reading, onOpened, isWanted, handle });
};
