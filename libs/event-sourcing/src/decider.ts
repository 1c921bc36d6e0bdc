/** The rules of one aggregate: pure, no clock, no ids, no I/O. */
export interface Decider<State, Command, Fact> {
  readonly initial: State;
  /** An empty array means "already so" and is a success; a rule that says no throws its refusal. */
  readonly decide: (command: Command, state: State) => Fact[];
  /** Never throws: what happened cannot be refused. */
  readonly evolve: (state: State, fact: Fact) => State;
}

/** What the facts of a stream add up to. */
export const fold = <State, Fact>(
  { initial, evolve }: Pick<Decider<State, never, Fact>, 'initial' | 'evolve'>,
  facts: readonly Fact[],
): State => facts.reduce(evolve, initial);
