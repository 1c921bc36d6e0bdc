/** Records and bytes. */
interface Amount {
  readonly records: number;
  readonly bytes: number;
}

const SECOND_MS = 1_000;
const KIBIBYTE = 1_024;

/** What a process appends in a second to the topic of live events, of each workspace and of all. */
export const LIVE_LIMITS: { readonly workspace: Amount; readonly process: Amount } = {
  workspace: { records: 200, bytes: 1_024 * KIBIBYTE },
  process: { records: 1_000, bytes: 4_096 * KIBIBYTE },
};

class Used {
  records = 0;
  bytes = 0;

  isBelow(limit: Amount): boolean {
    return this.records < limit.records && this.bytes < limit.bytes;
  }

  add({ records, bytes }: Amount): void {
    this.records += records;
    this.bytes += bytes;
  }
}

/** Limits the samples of each second. The last one that is taken may exceed the limits. */
export class LiveBudget {
  private beganMs = -Infinity;
  private all = new Used();
  private readonly ofWorkspace = new Map<string, Used>();

  /** @param nowMs of the monotonic clock. */
  constructor(private readonly nowMs: () => number) {}

  /** Whether there is room for another sample of the workspace in this second. */
  hasRoom(workspace: string): boolean {
    this.begin();
    const used = this.ofWorkspace.get(workspace);
    if (used !== undefined && !used.isBelow(LIVE_LIMITS.workspace)) return false;
    return this.all.isBelow(LIVE_LIMITS.process);
  }

  /** Counts a sample with all records that it will need. */
  take(workspace: string, amount: Amount): void {
    const used = this.ofWorkspace.get(workspace) ?? new Used();
    this.ofWorkspace.set(workspace, used);
    used.add(amount);
    this.all.add(amount);
  }

  private begin(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.beganMs < SECOND_MS) return;
    this.beganMs = nowMs;
    this.all = new Used();
    this.ofWorkspace.clear();
  }
}
