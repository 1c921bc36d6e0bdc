import type { IdentityUpdate } from '../../platform/warehouse-writer';
import { Unwritable } from '../../merging/unwritable';
import type { ProfileColumn } from '../columns/profile-columns';
import { previousIdsOf, recordRow, StagedIdentity } from './staged-identity';
import { Turns } from './turns';

/** A row to be staged. */
export interface StagedRow {
  readonly recordId: string;
  readonly anonymous: boolean;
  /** Places in the batch of the updates that it is made of. */
  readonly places: readonly number[];
  /** The previous ids, in the order of the row. */
  readonly previousIds: () => readonly string[];
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

/** Of several updates, or of an event. */
const mergedRow = async (
  { recordId, anonymous, updates }: Group,
  columns: readonly ProfileColumn[],
  turns: Turns,
): Promise<string> => {
  const [first, ...more] = updates;
  if (first === undefined) throw new RangeError('an identity without updates');
  const identity = new StagedIdentity(recordId, anonymous, columns, first);
  for (const update of more) {
    await turns.before(columns.length);
    identity.add(update);
  }
  return identity.row();
};

/** What no warehouse can hold, or should; a row without the other updates shows it. */
const problemOf = (
  update: IdentityUpdate,
  columns: readonly ProfileColumn[],
): string | undefined => {
  if (update.recordId === '') return 'record id is empty';
  try {
    const row = new StagedIdentity(update.recordId, false, columns, update).row();
    return row.includes(NUL) || update.tieBreaker.includes(NUL)
      ? 'a text holds NUL, which a data warehouse cannot keep'
      : undefined;
  } catch (error) {
    if (error instanceof Unwritable) return error.message;
    throw error;
  }
};

/** The updates of each identity, in the order of the first one of each. */
const groupsOf = (
  updates: readonly IdentityUpdate[],
  leftOut: ReadonlyMap<number, string>,
): readonly Group[] => {
  const groups: Group[] = [];
  const [known, unknown] = [new Map<string, Group>(), new Map<string, Group>()];
  updates.forEach((update, place) => {
    if (leftOut.has(place)) return;
    const { recordId } = update;
    const anonymous = isAnonymous(update);
    const byId = anonymous ? unknown : known;
    const group = byId.get(recordId);
    if (group === undefined) {
      const first = { recordId, anonymous, places: [place], updates: [update] };
      byId.set(recordId, first);
      groups.push(first);
    } else {
      group.updates.push(update);
      group.places.push(place);
    }
  });
  return groups;
};

/** Whether the server could hold the row; a NUL in JSON is escaped. */
const isPossible = ({ recordId, text }: StagedRow): boolean =>
  recordId !== '' && !text.includes(NUL) && !text.includes('\\u0000');

const stagedRows = async (
  groups: readonly Group[],
  columns: readonly ProfileColumn[],
  turns: Turns,
): Promise<readonly StagedRow[]> => {
  const rows: StagedRow[] = [];
  for (const group of groups) {
    const { recordId, anonymous, places, updates } = group;
    const previousIds = (): readonly string[] => previousIdsOf(updates);
    const turn = turns.before(columns.length);
    // A batch has thousands of rows: nearly all are made without waiting for anything.
    if (turn !== undefined) await turn;
    const only = updates.length === 1 ? updates[0] : undefined;
    const text =
      only?.kind === 'record' ? recordRow(only, columns) : await mergedRow(group, columns, turns);
    rows.push({ recordId, anonymous, places, previousIds, text });
  }
  return rows;
};

/** The rows when the warehouse can hold, and should, every one of them; undefined otherwise. */
const possibleRows = async (
  ...[groups, columns, turns]: Parameters<typeof stagedRows>
): Promise<readonly StagedRow[] | undefined> => {
  try {
    const rows = await stagedRows(groups, columns, turns);
    return rows.every(isPossible) ? rows : undefined;
  } catch (error) {
    if (error instanceof Unwritable) return undefined;
    throw error;
  }
};

/**
 * Reduces a batch to one row for each identity, as COPY reads them. Other work has its turn meanwhile.
 *
 * @param updates may not be changed until then.
 */
export const reduceBatch = async (
  updates: readonly IdentityUpdate[],
  columns: readonly ProfileColumn[],
  turns = new Turns(),
): Promise<ReducedBatch> => {
  const rows = await possibleRows(groupsOf(updates, new Map()), columns, turns);
  if (rows !== undefined) return { rows, refused: new Map() };
  const refused = new Map<number, string>();
  for (const [place, update] of updates.entries()) {
    await turns.before(columns.length);
    const problem = problemOf(update, columns);
    if (problem !== undefined) refused.set(place, problem);
  }
  return { rows: await stagedRows(groupsOf(updates, refused), columns, turns), refused };
};
