/** The rules of one aggregate as pure functions: no clock, no generated ids, no I/O. */
export interface Decider<State, Command, Fact> {
  readonly initial: State;
  /**
   * Returns an empty array when nothing has to change, which is a success; throws a refusal when a rule is violated.
   */
  readonly decide: (command: Command, state: State) => Fact[];
  /** Never throws: a recorded fact cannot be refused. */
  readonly evolve: (state: State, fact: Fact) => State;
}

/** Computes the state after the facts of a stream. */
export const fold = <State, Fact>(
  { initial, evolve }: Pick<Decider<State, never, Fact>, 'initial' | 'evolve'>,
  facts: readonly Fact[],
): State => facts.reduce(evolve, initial);
