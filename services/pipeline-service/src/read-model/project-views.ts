import type { ConfigurationState } from '@penstock/contracts';
import type { StoredFact } from '@penstock/event-sourcing';
import { Any, type EntityManager } from 'typeorm';
import type { View } from './view';
import { VIEWS } from './views';

/** A statement takes 65,535 parameters; no row has more than 60. */
const ROWS_A_STATEMENT = 1_000;

const project = async (
  db: EntityManager,
  { kind, row, object, rowsOf }: View,
  states: readonly ConfigurationState[],
): Promise<void> => {
  const own = states.filter((state) => state.kind === kind);
  if (own.length === 0) return;
  await db.delete(row, { [object]: Any(own.map(({ id }) => id)) });
  const rows = own.flatMap(rowsOf);
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT)
    await db.insert(row, rows.slice(from, from + ROWS_A_STATEMENT));
};

/** Writes the views of what the facts have changed: the last state of each object. */
export const projectViews = async (
  db: EntityManager,
  facts: readonly StoredFact[],
): Promise<void> => {
  const newest = new Map(facts.map(({ stream, state }) => [stream, state as ConfigurationState]));
  const states = [...newest.values()];
  for (const view of VIEWS) await project(db, view, states);
};
