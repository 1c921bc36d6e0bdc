/** Maximal length of a reason in characters. */
const MAX_REASON_LENGTH = 1000;

/** A record that a function could not transform, and why. Affects no other record. */
export class RecordFailure {
  readonly message: string;
  constructor(
    readonly step: 'Transformation' | 'OutputValidation',
    message: string,
    /** For a trial: the result that did not fit the output schema, as JSON text for people. */
    readonly given?: string,
  ) {
    this.message = excerptOf(message);
  }
}

const excerptOf = (text: string): string =>
  text.length <= MAX_REASON_LENGTH
    ? text
    : `${text.slice(0, MAX_REASON_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
