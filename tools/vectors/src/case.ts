/** The expected and the actual result of a case, in a form for deep comparison. */
interface Outcome {
  readonly expected: unknown;
  readonly actual: unknown;
}

/** One case. The case fails if `run` throws. */
export interface Case {
  readonly title: string;
  readonly run: () => Outcome | Promise<Outcome>;
}

/** The cases of one list of a file; the name contains both. */
export interface CaseList {
  readonly name: string;
  readonly cases: readonly Case[];
}
