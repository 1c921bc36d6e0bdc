/** Events, the records about them, and bytes. */
interface Amount {
  readonly events: number;
  readonly records: number;
  readonly bytes: number;
}

interface Limit {
  /** What is taken at once, after a time in which little was. */
  readonly burst: Amount;
  readonly eachSecond: Amount;
}

const SECOND_MS = 1_000;
const KIBIBYTE = 1_024;

/**
 * What a process appends to the topic of live events, of each workspace and of all. It is so little that 200 clients who
 * watch cost some hundredths of what the deliveries cost which are sampled.
 */
export const LIVE_LIMITS: { readonly workspace: Limit; readonly process: Limit } = {
  workspace: {
    burst: { events: 100, records: 200, bytes: 1_024 * KIBIBYTE },
    eachSecond: { events: 20, records: 200, bytes: 256 * KIBIBYTE },
  },
  process: {
    burst: { events: 500, records: 1_000, bytes: 4_096 * KIBIBYTE },
    eachSecond: { events: 100, records: 1_000, bytes: 1_024 * KIBIBYTE },
  },
};

/** What may be taken: it grows with time, up to the burst. */
class Allowance {
  private left: Amount;

  constructor(
    private readonly limit: Limit,
    private atMs: number,
  ) {
    this.left = limit.burst;
  }

  /** Whether there is some of each. */
  hasSome(nowMs: number): boolean {
    this.grow(nowMs);
    const { events, records, bytes } = this.left;
    return events >= 1 && records >= 1 && bytes >= 1;
  }

  isWhole(nowMs: number): boolean {
    this.grow(nowMs);
    const { events, records, bytes } = this.limit.burst;
    return this.left.events >= events && this.left.records >= records && this.left.bytes >= bytes;
  }

  take({ events, records, bytes }: Amount): void {
    const { left } = this;
    this.left = {
      events: left.events - events,
      records: left.records - records,
      bytes: left.bytes - bytes,
    };
  }

  private grow(nowMs: number): void {
    const seconds = (nowMs - this.atMs) / SECOND_MS;
    if (seconds <= 0) return;
    this.atMs = nowMs;
    const { burst, eachSecond } = this.limit;
    const grown = (of: keyof Amount): number =>
      Math.min(burst[of], this.left[of] + seconds * eachSecond[of]);
    this.left = { events: grown('events'), records: grown('records'), bytes: grown('bytes') };
  }
}

/** Limits the samples: all of few events, some of many. The last one that is taken may exceed the limits. */
export class LiveBudget {
  private readonly all: Allowance;
  private readonly ofWorkspace = new Map<string, Allowance>();

  /** @param nowMs of the monotonic clock. */
  constructor(private readonly nowMs: () => number) {
    this.all = new Allowance(LIVE_LIMITS.process, nowMs());
  }

  /** Whether there is room for another sample of the workspace now. */
  hasRoom(workspace: string): boolean {
    const nowMs = this.nowMs();
    const allowance = this.ofWorkspace.get(workspace);
    if (allowance !== undefined && !allowance.hasSome(nowMs)) return false;
    return this.all.hasSome(nowMs);
  }

  /** Counts a sampled event with all records that it will need, at least one. */
  take(workspace: string, of: Omit<Amount, 'events'>): void {
    const amount = { ...of, events: 1 };
    const allowance =
      this.ofWorkspace.get(workspace) ?? new Allowance(LIVE_LIMITS.workspace, this.nowMs());
    this.ofWorkspace.set(workspace, allowance);
    allowance.take(amount);
    this.all.take(amount);
  }

  /** Forgets workspaces of which nothing was taken for a while; call it every second. */
  lookAfter(): void {
    const nowMs = this.nowMs();
    for (const [workspace, allowance] of this.ofWorkspace)
      if (allowance.isWhole(nowMs)) this.ofWorkspace.delete(workspace);
  }
}
