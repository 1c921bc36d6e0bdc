import type { Database } from './database';

type Wake = () => void;

/** A reader's interest in the ends of partitions, until it is closed. */
export interface Watch {
  /** The highest known end: every record below it can be read. */
  endOf(partitionId: number): number;
  close(): void;
}

const PRESENT_ENDS = {
  name: 'penstock_log_ends',
  text: 'select id, next_offset from penstock_log.partitions where id = any($1::int[])',
};

/** The known ends of watched partitions: from own appends, notifications and queries. */
export class LogEnds {
  private readonly ends = new Map<number, number>();
  private readonly wakes = new Map<number, Set<Wake>>();

  constructor(private readonly database: Database) {}

  /** @param wake called whenever an end has moved; called often, so it should return quickly. */
  watch(partitionIds: readonly number[], wake: Wake): Watch {
    for (const id of partitionIds)
      this.wakes.set(id, (this.wakes.get(id) ?? new Set<Wake>()).add(wake));
    return {
      endOf: (id) => this.ends.get(id) ?? 0,
      close: () => {
        for (const id of partitionIds) this.forget(id, wake);
      },
    };
  }

  advance(ends: Iterable<readonly [partitionId: number, end: number]>): void {
    const awoken = new Set<Wake>();
    for (const [id, end] of ends) {
      const wakes = this.wakes.get(id);
      if (!wakes || end <= (this.ends.get(id) ?? 0)) continue;
      this.ends.set(id, end);
      for (const wake of wakes) awoken.add(wake);
    }
    for (const wake of awoken) wake();
  }

  /** Queries the ends of all watched partitions. @throws LogUnavailable */
  async refresh(): Promise<void> {
    if (this.wakes.size > 0) await this.look([...this.wakes.keys()]);
  }

  /** Queries the present end of each partition, in the given order. @throws LogUnavailable */
  async look(partitionIds: readonly number[]): Promise<readonly number[]> {
    const rows = await this.database.rows<[number, string]>({
      ...PRESENT_ENDS,
      values: [partitionIds],
    });
    const ends = new Map(rows.map(([id, end]) => [id, Number(end)]));
    this.advance(ends);
    return partitionIds.map((id) => ends.get(id) ?? 0);
  }

  private forget(id: number, wake: Wake): void {
    const wakes = this.wakes.get(id);
    wakes?.delete(wake);
    if (wakes?.size !== 0) return;
    this.wakes.delete(id);
    this.ends.delete(id);
  }
}
