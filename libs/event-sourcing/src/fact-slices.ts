import type { StoredFact } from './event-store';

/** A fact with what it says, as it is stored. */
export interface WrittenFact {
  readonly fact: StoredFact;
  readonly data: string;
  readonly state: string;
}

/** The most that one statement writes: characters of data and states, unless one fact has more. */
export const SLICE_CHARACTERS = 500_000;
/** The same in facts. */
export const SLICE_FACTS = 500;

/**
 * Facts in the pieces in which they are written, each made when it is asked for: a statement with all facts of a deleted
 * workspace would keep the process from everything else, and the database from hearing of it, for seconds.
 */
export function* slicesOf(facts: readonly StoredFact[]): Generator<readonly WrittenFact[]> {
  let slice: WrittenFact[] = [];
  let characters = 0;
  for (const fact of facts) {
    const [data, state] = [JSON.stringify(fact.data), JSON.stringify(fact.state)];
    const length = data.length + state.length;
    const isFull = slice.length === SLICE_FACTS || characters + length > SLICE_CHARACTERS;
    if (isFull && slice.length > 0) {
      yield slice;
      [slice, characters] = [[], 0];
    }
    slice.push({ fact, data, state });
    characters += length;
  }
  if (slice.length > 0) yield slice;
}
