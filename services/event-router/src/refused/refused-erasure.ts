import type { SuppressionId } from '@penstock/contracts';
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
  private doneFor = 0;
  /** Milliseconds of the monotonic clock. */
  private againAtMs = Infinity;
  private running: Promise<void> | undefined;

  constructor(
    private readonly replica: Suppressed,
    private readonly table: Pick<RefusedEventsTable, 'ofUsers' | 'erase'>,
    private readonly nowMs: () => number,
  ) {}

  /** Looks at all rows after each change of suppressions, and once more later. Rejects while the database is away. */
  run(): Promise<void> {
    this.running ??= this.eraseNew().finally(() => (this.running = undefined));
    return this.running;
  }

  private async eraseNew(): Promise<void> {
    const { suppressedFrom } = this.replica;
    const isNew = suppressedFrom > this.doneFor;
    if (!isNew && this.nowMs() < this.againAtMs) return;
    this.againAtMs = isNew ? this.nowMs() + AGAIN_MS : Infinity;
    let after: RowOfUsers | undefined;
    do {
      const rows = await this.table.ofUsers(after, ROWS_A_READ);
      const erased = rows.filter((row) => this.isErased(row));
      if (erased.length > 0) await this.table.erase(erased);
      after = rows.length < ROWS_A_READ ? undefined : rows.at(-1);
    } while (after !== undefined);
    this.doneFor = suppressedFrom;
  }

  private isErased({ workspace, users }: RowOfUsers): boolean {
    const suppressed = this.replica.suppressedIn(workspace);
    return users.some((user) => suppressed.has(user));
  }
}
