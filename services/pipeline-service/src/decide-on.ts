import { type Decider, type EventStore, fold, type StreamAppend } from '@penstock/event-sourcing';

/** A stream with what its facts add up to. */
export interface Loaded<State, Fact> {
  readonly stream: string;
  readonly version: number;
  readonly state: State;
  readonly decider: Pick<Decider<State, never, Fact>, 'evolve'>;
}

/** Anything that streams can be read from. */
type Streams = Pick<EventStore<never>, 'read'>;

/** In the order of the names. */
export const loadAll = async <State, Command, Fact>(
  store: Streams,
  decider: Decider<State, Command, Fact>,
  streams: readonly string[],
): Promise<Loaded<State, Fact>[]> => {
  const found = await store.read<Fact>(streams);
  return found.map(({ facts, version }, index) => ({
    stream: streams[index] ?? '',
    version,
    state: fold(decider, facts),
    decider,
  }));
};

export const load = async <State, Command, Fact>(
  store: Streams,
  decider: Decider<State, Command, Fact>,
  stream: string,
): Promise<Loaded<State, Fact>> => {
  const [loaded] = await loadAll(store, decider, [stream]);
  if (loaded === undefined) throw new Error(`stream ${stream} was not read`);
  return loaded;
};

/** The decided facts as they are appended, each with the state after it. */
export const appendTo = <
  State extends object | null,
  Fact extends { readonly type: string; readonly data: object },
>(
  { stream, version, state, decider }: Loaded<State, Fact>,
  facts: readonly Fact[],
): StreamAppend => {
  let current = state;
  return {
    stream,
    version,
    facts: facts.map((fact) => {
      current = decider.evolve(current, fact);
      return { type: fact.type, data: fact.data, state: current ?? {} };
    }),
  };
};
