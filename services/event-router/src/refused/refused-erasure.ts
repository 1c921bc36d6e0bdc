import type { SuppressionId } from '@penstock/contracts';
import { ErasureTurns } from '../outcomes/erasure-turns';
import type { RefusedEventsTable, RowOfUsers } from './refused-events-table';

const ROWS_A_READ = 500;
/** Longer than a batch of the reader takes, which may have looked before the newest suppression. */
const AGAIN_MS = 60_000;

/** Where it is seen who is suppressed. */
export interface Suppressed {
  /** Position of the newest change. */
  readonly suppressedFrom: number;
  suppressedIn(workspace: string): ReadonlySet<SuppressionId>;
}

/** Erases what refused events say about users who are suppressed. */
export class RefusedErasure {
  private readonly turns: ErasureTurns;

  constructor(
    private readonly replica: Suppressed,
    private readonly table: Pick<RefusedEventsTable, 'ofUsers' | 'erase'>,
    nowMs: () => number,
  ) {
    const suppressedFrom = (): number => replica.suppressedFrom;
    const times = { suppressedFrom, nowMs, settledMs: AGAIN_MS };
    this.turns = new ErasureTurns(times, () => this.eraseAll());
  }

  /** Looks at all rows after each change of suppressions, and once more later. Rejects while the database is away. */
  run(): Promise<void> {
    return this.turns.run();
  }

  private async eraseAll(): Promise<void> {
    let after: RowOfUsers | undefined;
    do {
      const rows = await this.table.ofUsers(after, ROWS_A_READ);
      const erased = rows.filter((row) => this.isErased(row));
      if (erased.length > 0) await this.table.erase(erased);
      after = rows.length < ROWS_A_READ ? undefined : rows.at(-1);
    } while (after !== undefined);
  }

  private isErased({ workspace, users }: RowOfUsers): boolean {
    const suppressed = this.replica.suppressedIn(workspace);
    return users.some((user) => suppressed.has(user));
  }
}
