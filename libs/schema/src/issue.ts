/** One thing that is wrong, and where: what `details` of an error answer holds. */
export interface Issue {
  /** JSON pointer into what was submitted, `''` for the whole. */
  readonly path: string;
  /** What is wrong, and what would be right. Never holds a secret. */
  readonly message: string;
}

/** How many issues of one value are gathered, and how many of a submission stand in the text of its error. */
export const MAX_ISSUES = 1000;

/** The submitted type, schema, filter or mapping is not valid: every {@link Issue} found, at least one. */
export class Invalid extends Error {
  override readonly name = 'Invalid';
  constructor(readonly issues: readonly Issue[]) {
    const named = issues.slice(0, MAX_ISSUES);
    super(named.map(({ path, message }) => `${path || '/'}: ${message}`).join('; '));
  }
}

/** A JSON pointer (RFC 6901) from the steps to a place. */
export const pointer = (...steps: readonly (string | number)[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
