import type { ConfigurationState } from '@penstock/contracts';
import type { StoredFact } from '@penstock/event-sourcing';
import { Any, type EntityManager, type ObjectLiteral } from 'typeorm';
import type { View } from './view';
import { VIEWS } from './views';

/** A statement takes 65,535 parameters; no row has more than 60. */
const ROWS_A_STATEMENT = 1_000;

const writeRows = async (
  rows: readonly ObjectLiteral[],
  write: (some: ObjectLiteral[]) => Promise<unknown>,
): Promise<void> => {
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT)
    await write(rows.slice(from, from + ROWS_A_STATEMENT));
};

/** Writes a view with at most one row per object, in one statement unless objects were deleted. */
const projectSingle = async (
  db: EntityManager,
  { row, object, rowsOf }: View,
  states: readonly ConfigurationState[],
): Promise<void> => {
  const gone = states.filter((state) => rowsOf(state).length === 0);
  if (gone.length > 0) await db.delete(row, { [object]: Any(gone.map(({ id }) => id)) });
  await writeRows(states.flatMap(rowsOf), (some) => db.upsert(row, some, [object]));
};

const projectMany = async (
  db: EntityManager,
  { row, object, rowsOf }: View,
  states: readonly ConfigurationState[],
): Promise<void> => {
  await db.delete(row, { [object]: Any(states.map(({ id }) => id)) });
  await writeRows(states.flatMap(rowsOf), (some) => db.insert(row, some));
};

const project = async (
  db: EntityManager,
  view: View,
  states: readonly ConfigurationState[],
): Promise<void> => {
  const own = states.filter((state) => state.kind === view.kind);
  if (own.length === 0) return;
  const { primaryColumns } = db.dataSource.getMetadata(view.row);
  const isSingle = primaryColumns.every(({ propertyName }) => propertyName === view.object);
  await (isSingle ? projectSingle : projectMany)(db, view, own);
};

/** Writes the views of the objects that the facts have changed, by their last states. */
export const projectViews = async (
  db: EntityManager,
  facts: readonly StoredFact[],
): Promise<void> => {
  const newest = new Map(facts.map(({ stream, state }) => [stream, state as ConfigurationState]));
  const states = [...newest.values()];
  for (const view of VIEWS) await project(db, view, states);
};
