import { type ConfigurationState, ownerOf } from '@penstock/contracts';
import type { Decider, EventStore, StreamAppend } from '@penstock/event-sourcing';

/** A stream with its newest version and state. */
export interface Loaded<State, Fact> {
  readonly stream: string;
  readonly version: number;
  readonly state: State;
  readonly decider: Pick<Decider<State, never, Fact>, 'evolve'>;
}

type Streams = Pick<EventStore<never>, 'read'>;

/** Loads streams, in the order of their names. */
export const loadAll = async <State, Command, Fact>(
  store: Streams,
  decider: Decider<State, Command, Fact>,
  streams: readonly string[],
): Promise<Loaded<State, Fact>[]> => {
  const found = await store.read<State>(streams);
  return found.map(({ state = decider.initial, version }, index) => ({
    stream: streams[index] ?? '',
    version,
    state,
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

/** The append of decided facts, each with the state after it. */
export const appendTo = <
  State extends ConfigurationState | null,
  Fact extends { readonly type: string; readonly data: object },
>(
  { stream, version, state, decider }: Loaded<State, Fact>,
  facts: readonly Fact[],
): StreamAppend => {
  let current = state;
  const recorded = facts.map((fact) => {
    current = decider.evolve(current, fact);
    return { type: fact.type, data: fact.data, state: current ?? {} };
  });
  return { stream, owner: current === null ? '' : ownerOf(current), version, facts: recorded };
};

/** The appends that delete the objects of the streams; an append has no facts where the object is already deleted. */
export const deletions = async <
  State extends Extract<ConfigurationState, { readonly deleted: boolean }> | null,
  Command,
  Fact extends { readonly type: string; readonly data: object },
>(
  store: Streams,
  decider: Decider<State, Command, Fact>,
  streams: readonly string[],
  command: Command,
): Promise<StreamAppend[]> => {
  const objects = await loadAll(store, decider, streams);
  return objects.map((object) =>
    appendTo(object, object.state?.deleted === false ? decider.decide(command, object.state) : []),
  );
};
