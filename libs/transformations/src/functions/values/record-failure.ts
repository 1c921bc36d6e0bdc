import { withoutKeys } from '../../mapping/key-step';

/** Maximal length of a reason in characters. */
const MAX_REASON_LENGTH = 1000;

/** What a failure tells beside its message. */
interface RecordFailureParts {
  /** Default: the message without the keys of maps in its path. */
  readonly withoutValue?: string;
  readonly given?: string | undefined;
}

/** A record that a function could not transform, and why. Affects no other record. */
export class RecordFailure {
  readonly message: string;
  /** The message without values of the record and of the result, keys of maps among them. */
  readonly withoutValue: string;
  /** For a trial: the result that did not fit the output schema, as JSON text for people. */
  readonly given: string | undefined;
  constructor(
    readonly step: 'Transformation' | 'OutputValidation',
    message: string,
    { withoutValue = withoutKeys(message), given }: RecordFailureParts = {},
  ) {
    this.message = excerptOf(message);
    this.withoutValue = excerptOf(withoutValue);
    this.given = given;
  }
}

const excerptOf = (text: string): string =>
  text.length <= MAX_REASON_LENGTH
    ? text
    : `${text.slice(0, MAX_REASON_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
