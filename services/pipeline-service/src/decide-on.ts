import { type Decider, fold, type ReadStream, type StreamAppend } from '@penstock/event-sourcing';

/** A stream with what its facts add up to. */
export interface Loaded<State, Fact> {
  readonly stream: string;
  readonly version: number;
  readonly state: State;
  readonly decider: Pick<Decider<State, never, Fact>, 'evolve'>;
}

export const load = async <State, Command, Fact>(
  read: ReadStream,
  decider: Decider<State, Command, Fact>,
  stream: string,
): Promise<Loaded<State, Fact>> => {
  const { facts, version } = await read<Fact>(stream);
  return { stream, version, state: fold(decider, facts), decider };
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
