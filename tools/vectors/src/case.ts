/** What a case should give, and what it gave, both in a form that compares deeply. */
interface Outcome {
  readonly expected: unknown;
  readonly actual: unknown;
}

/** One worked case. `run` may throw: that is a failure of the case. */
export interface Case {
  readonly title: string;
  readonly run: () => Outcome | Promise<Outcome>;
}

/** The cases of one list of a file, under the name of both. */
export interface CaseList {
  readonly name: string;
  readonly cases: readonly Case[];
}
