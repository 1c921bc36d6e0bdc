import { setImmediate } from 'node:timers/promises';

/** Fields of rows that are made in a few milliseconds. */
export const MAX_FIELDS = 1_000;

/** Lets other work have its turn, again and again, while rows are made. */
export class Turns {
  private fields = 0;

  /** @param next resolves when other work has had its turn. */
  constructor(private readonly next: () => Promise<unknown> = setImmediate) {}

  /** To be called before each row, or part of one. @param fields that are made of it. @returns what is to be awaited, if anything. */
  before(fields: number): Promise<unknown> | undefined {
    this.fields += fields;
    if (this.fields < MAX_FIELDS) return undefined;
    this.fields = 0;
    return this.next();
  }
}
