import type { IdentityUpdate, ImportedRecord } from '../platform/warehouse-writer';
import type { ValueColumn } from '../profiles/value-columns';
import { IdentityState, previousIdsOf } from './identity-state';
import { Turns } from './turns';
import { Unwritable } from './unwritable';

/** How a platform writes rows. Each of its functions may throw {@link Unwritable}. */
export interface RowForm<C extends ValueColumn, R> {
  /** Of an identity of which there is one record: the same as {@link row}, in less time. */
  readonly recordRow: (record: ImportedRecord, columns: readonly C[]) => R;
  readonly row: (identity: IdentityState, columns: readonly C[]) => R;
  /** Whether nothing is wrong with it; false: it is looked at more closely. */
  readonly isPossible: (row: R) => boolean;
  readonly hasNul: (row: R) => boolean;
}

/** A row to be staged. */
export interface StagedRow<R> {
  readonly recordId: string;
  readonly anonymous: boolean;
  /** Places in the batch of the updates that it is made of. */
  readonly places: readonly number[];
  /** The previous ids, in the order of the row. */
  readonly previousIds: () => readonly string[];
  /** As the form of the platform has made it. */
  readonly made: R;
}

/** A batch with one row for each identity. */
export interface ReducedBatch<R> {
  readonly rows: readonly StagedRow<R>[];
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
const merged = async (
  { recordId, anonymous, updates }: Group,
  columns: readonly ValueColumn[],
  turns: Turns,
): Promise<IdentityState> => {
  const [first, ...more] = updates;
  if (first === undefined) throw new RangeError('an identity without updates');
  const identity = new IdentityState(recordId, anonymous, columns, first);
  for (const update of more) {
    await turns.before(columns.length);
    identity.add(update);
  }
  return identity;
};

/** What no warehouse can hold, or should; a row without the other updates shows it. */
const problemOf = <C extends ValueColumn, R>(
  update: IdentityUpdate,
  columns: readonly C[],
  form: RowForm<C, R>,
): string | undefined => {
  if (update.recordId === '') return 'record id is empty';
  try {
    const row = form.row(new IdentityState(update.recordId, false, columns, update), columns);
    return form.hasNul(row) || update.tieBreaker.includes(NUL)
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

const stagedRows = async <C extends ValueColumn, R>(
  groups: readonly Group[],
  columns: readonly C[],
  form: RowForm<C, R>,
  turns: Turns,
): Promise<readonly StagedRow<R>[]> => {
  const rows: StagedRow<R>[] = [];
  for (const group of groups) {
    const { recordId, anonymous, places, updates } = group;
    const previousIds = (): readonly string[] => previousIdsOf(updates);
    const turn = turns.before(columns.length);
    // A batch has thousands of rows: nearly all are made without waiting for anything.
    if (turn !== undefined) await turn;
    const only = updates.length === 1 ? updates[0] : undefined;
    const made =
      only?.kind === 'record'
        ? form.recordRow(only, columns)
        : form.row(await merged(group, columns, turns), columns);
    rows.push({ recordId, anonymous, places, previousIds, made });
  }
  return rows;
};

/** The rows when the warehouse can hold, and should, every one of them; undefined otherwise. */
const possibleRows = async <C extends ValueColumn, R>(
  groups: readonly Group[],
  columns: readonly C[],
  form: RowForm<C, R>,
  turns: Turns,
): Promise<readonly StagedRow<R>[] | undefined> => {
  try {
    const rows = await stagedRows(groups, columns, form, turns);
    const arePossible = rows.every(
      ({ recordId, made }) => recordId !== '' && form.isPossible(made),
    );
    return arePossible ? rows : undefined;
  } catch (error) {
    if (error instanceof Unwritable) return undefined;
    throw error;
  }
};

/**
 * Reduces a batch to one row for each identity. Other work has its turn meanwhile.
 *
 * @param updates may not be changed until then.
 */
export const reduceBatch = async <C extends ValueColumn, R>(
  updates: readonly IdentityUpdate[],
  columns: readonly C[],
  form: RowForm<C, R>,
  turns = new Turns(),
): Promise<ReducedBatch<R>> => {
  const rows = await possibleRows(groupsOf(updates, new Map()), columns, form, turns);
  if (rows !== undefined) return { rows, refused: new Map() };
  const refused = new Map<number, string>();
  for (const [place, update] of updates.entries()) {
    await turns.before(columns.length);
    const problem = problemOf(update, columns, form);
    if (problem !== undefined) refused.set(place, problem);
  }
  return { rows: await stagedRows(groupsOf(updates, refused), columns, form, turns), refused };
};
