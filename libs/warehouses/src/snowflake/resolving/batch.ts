import type { Place } from '../sql/names';
import { changedRows } from '../sql/transaction';
import type { Rules } from './rules';
import { type StageTable, STAGES } from './stage-tables';

type Rows = readonly (readonly (string | null)[])[];

/** Executes a statement of a transaction. It fails once the transaction is given up. */
export type Execute = (statement: string, binds?: readonly string[]) => Promise<Rows>;

/** One transaction of a resolution, with the tables that it fills. */
export class Batch {
  readonly tables = STAGES;

  constructor(
    private readonly execute: Execute,
    readonly place: Place,
    readonly rules: Rules,
  ) {}

  /** Puts rows into one of the tables, in place of those of an earlier batch. @returns how many */
  fill(name: StageTable, select: string): Promise<number> {
    return this.write(`INSERT OVERWRITE INTO ${this.tables[name]} ${select}`);
  }

  /** Adds rows to one of the tables. @returns how many */
  add(name: StageTable, select: string): Promise<number> {
    return this.write(`INSERT INTO ${this.tables[name]} ${select}`);
  }

  /** @returns how many rows the statement has written */
  async write(statement: string): Promise<number> {
    return changedRows(await this.execute(statement));
  }

  /** @returns the numbers that a statement gives in its only row */
  async numbers(statement: string): Promise<readonly number[]> {
    const [row = []] = await this.execute(statement);
    return row.map(Number);
  }
}
