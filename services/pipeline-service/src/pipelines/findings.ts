import { Refusal } from '@penstock/contracts';
import { Invalid, type Issue, pointer } from '@penstock/schema';

const FILTER = /^\/filter(\/|$)/;

/** Collects the issues of several checks, so that all are reported at once. */
export class Findings {
  private readonly issues: Issue[] = [];

  get count(): number {
    return this.issues.length;
  }

  /** @param path JSON pointer from the request's root. */
  add(path: string, message: string): void {
    this.issues.push({ path, message });
  }

  /** Adds the issues of a check of one member. @returns its value; undefined when there were issues. */
  of<T>(member: string, check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      const at = pointer(...member.split('/'));
      for (const { path, message } of error.issues) this.add(`${at}${path}`, message);
      return undefined;
    }
  }

  /** @throws Refusal BadRequest with all issues, when there are any. */
  refuse(): void {
    if (this.issues.length === 0) return;
    const isOfFilter = this.issues.every(({ path }) => FILTER.test(path));
    throw new Refusal('BadRequest', {
      ...(isOfFilter && { message: 'filter is not valid' }),
      details: this.issues,
    });
  }
}
