import type { IdentityUpdate } from '../../platform/warehouse-writer';
import type { ProfileColumn } from '../columns/profile-columns';
import { recordRow, StagedIdentity } from './staged-identity';

/** A row to be staged. */
export interface StagedRow {
  readonly recordId: string;
  /** Places in the batch of the updates that it is made of. */
  readonly places: readonly number[];
  readonly text: string;
}

/** A batch with one row for each identity. */
export interface ReducedBatch {
  readonly rows: readonly StagedRow[];
  /** Places of updates that no warehouse can hold, with the reasons. */
  readonly refused: ReadonlyMap<number, string>;
}

const NUL = '\u0000';

const isAnonymous = (update: IdentityUpdate): boolean =>
  update.kind === 'event' && update.anonymous;

interface Group {
  readonly recordId: string;
  readonly anonymous: boolean;
  readonly places: number[];
  readonly updates: IdentityUpdate[];
}

const rowOf = (
  { recordId, anonymous, updates }: Group,
  columns: readonly ProfileColumn[],
): string => {
  const [first, ...more] = updates;
  if (first === undefined) throw new RangeError('an identity without updates');
  if (more.length === 0 && first.kind === 'record') return recordRow(first, columns);
  const identity = new StagedIdentity(recordId, anonymous, columns, first);
  for (const update of more) identity.add(update);
  return identity.row();
};

/** What no text of the server can hold; a row without the other updates shows it. */
const problemOf = (
  update: IdentityUpdate,
  columns: readonly ProfileColumn[],
): string | undefined => {
  if (update.recordId === '') return 'record id is empty';
  const row = new StagedIdentity(update.recordId, false, columns, update).row();
  return row.includes(NUL) || update.tieBreaker.includes(NUL)
    ? 'a text holds NUL, which a data warehouse cannot keep'
    : undefined;
};

/** One row for each identity, in the order of the first update of each. */
const stagedRows = (
  updates: readonly IdentityUpdate[],
  columns: readonly ProfileColumn[],
  leftOut: ReadonlyMap<number, string>,
): readonly StagedRow[] => {
  const groups = new Map<string, Group>();
  updates.forEach((update, place) => {
    if (leftOut.has(place)) return;
    const { recordId } = update;
    const anonymous = isAnonymous(update);
    const key = anonymous ? `a${recordId}` : `k${recordId}`;
    const group = groups.get(key);
    if (group === undefined)
      groups.set(key, { recordId, anonymous, places: [place], updates: [update] });
    else {
      group.updates.push(update);
      group.places.push(place);
    }
  });
  return [...groups.values()].map((group) => ({
    recordId: group.recordId,
    places: group.places,
    text: rowOf(group, columns),
  }));
};

/** Whether the server could hold the row; a NUL in JSON is escaped. */
const isPossible = ({ recordId, text }: StagedRow): boolean =>
  recordId !== '' && !text.includes(NUL) && !text.includes('\\u0000');

/** Reduces a batch to one row for each identity, as COPY reads them. */
export const reduceBatch = (
  updates: readonly IdentityUpdate[],
  columns: readonly ProfileColumn[],
): ReducedBatch => {
  const rows = stagedRows(updates, columns, new Map());
  if (rows.every(isPossible)) return { rows, refused: new Map() };
  const refused = new Map<number, string>();
  updates.forEach((update, place) => {
    const problem = problemOf(update, columns);
    if (problem !== undefined) refused.set(place, problem);
  });
  return { rows: stagedRows(updates, columns, refused), refused };
};
