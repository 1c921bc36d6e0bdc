import type { Match } from './match';

interface Indexed {
  readonly match: Match;
  /** Its index among all matches. */
  readonly order: number;
}

/** Matches by the name of the event. */
interface ByName {
  /** Those that may match events of any name. */
  readonly any: Indexed[];
  readonly named: Map<string, Indexed[]>;
}

const ANY_KEY: readonly null[] = [null];

const byName = (): ByName => ({ any: [], named: new Map() });

const listIn = ({ any, named }: ByName, name: string | null): Indexed[] => {
  if (name === null) return any;
  const list = named.get(name) ?? [];
  named.set(name, list);
  return list;
};

/** Finds the pipelines that may match an event, by its type and name, without evaluating every filter. */
export class MatchIndex {
  private readonly anyType = byName();
  private readonly typed = new Map<unknown, ByName>();

  /** @param matches in the order in which `find` returns them. */
  constructor(matches: readonly Match[]) {
    for (const [order, match] of matches.entries()) this.add({ match, order });
  }

  /** The matches, in their order, whose keys allow the type and name, and for which `isWanted` returns true. */
  find(type: unknown, name: unknown, isWanted: (match: Match) => boolean): readonly Match[] {
    const found: Indexed[] = [];
    const lists = this.listsOf(type, name);
    for (const list of lists)
      for (const indexed of list) if (isWanted(indexed.match)) found.push(indexed);
    if (lists.length > 1) found.sort((left, right) => left.order - right.order);
    return found.map(({ match }) => match);
  }

  private listsOf(type: unknown, name: unknown): Indexed[][] {
    const lists: Indexed[][] = [];
    for (const index of [this.anyType, this.typed.get(type)]) {
      if (index === undefined) continue;
      if (index.any.length > 0) lists.push(index.any);
      const named = index.named.get(name as string);
      if (named !== undefined) lists.push(named);
    }
    return lists;
  }

  private add(indexed: Indexed): void {
    const { types, names } = indexed.match.pipeline.keys;
    for (const type of types ?? ANY_KEY)
      for (const name of names ?? ANY_KEY) listIn(this.indexOf(type), name).push(indexed);
  }

  private indexOf(type: string | null): ByName {
    if (type === null) return this.anyType;
    const index = this.typed.get(type) ?? byName();
    this.typed.set(type, index);
    return index;
  }
}
