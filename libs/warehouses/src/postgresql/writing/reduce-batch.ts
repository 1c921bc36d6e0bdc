import type { IdentityUpdate } from '../../platform/warehouse-writer';
import type { ProfileColumn } from '../columns/profile-columns';
import { StagedIdentity } from './staged-identity';

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
  readonly places: number[];
  readonly identity: StagedIdentity;
}

/** What no text of the server can hold; a row without the other updates shows it. */
const problemOf = (
  update: IdentityUpdate,
  columns: readonly ProfileColumn[],
): string | undefined => {
  if (update.recordId === '') return 'record id is empty';
  const alone = new StagedIdentity(update.recordId, false, columns, update);
  return alone.row().includes(NUL) || update.tieBreaker.includes(NUL)
    ? 'a text holds NUL, which a data warehouse cannot keep'
    : undefined;
};

/** Groups updates by identity, in the order of the first of each. */
const grouped = (
  updates: readonly IdentityUpdate[],
  columns: readonly ProfileColumn[],
  isLeftOut: (place: number) => boolean,
): readonly Group[] => {
  const groups = new Map<string, Group>();
  updates.forEach((update, place) => {
    if (isLeftOut(place)) return;
    const anonymous = isAnonymous(update);
    const key = `${anonymous ? 'a' : 'k'}${update.recordId}`;
    const group = groups.get(key);
    if (group !== undefined) {
      group.identity.add(update);
      group.places.push(place);
      return;
    }
    const identity = new StagedIdentity(update.recordId, anonymous, columns, update);
    groups.set(key, { places: [place], identity });
  });
  return [...groups.values()];
};

const stagedRows = (groups: readonly Group[]): readonly StagedRow[] =>
  groups.map(({ places, identity }) => ({
    recordId: identity.recordId,
    places,
    text: identity.row(),
  }));

/** Reduces a batch to one row for each identity, as COPY reads them. */
export const reduceBatch = (
  updates: readonly IdentityUpdate[],
  columns: readonly ProfileColumn[],
): ReducedBatch => {
  const rows = stagedRows(grouped(updates, columns, () => false));
  const isClean = rows.every(({ recordId, text }) => recordId !== '' && !text.includes(NUL));
  if (isClean) return { rows, refused: new Map() };
  const refused = new Map<number, string>();
  updates.forEach((update, place) => {
    const problem = problemOf(update, columns);
    if (problem !== undefined) refused.set(place, problem);
  });
  return { rows: stagedRows(grouped(updates, columns, (place) => refused.has(place))), refused };
};
