import type { PipelineId } from '@penstock/contracts';
import type { PartitionChanges } from '../store/changes';
import type { Clock } from '../time/clock';

/** Milliseconds after which a half of the window makes room for a new one. */
const HALF_WINDOW_MS = 150_000;
/** Fewest ended deliveries that say something about a pipeline. */
export const MIN_ENDED = 20;
/** Share of rejected deliveries from which on many are rejected, and below which they no longer are. */
const MANY = 0.1;
const FEW = 0.05;

interface Ended {
  all: number;
  rejected: number;
}

type Half = Map<string, Ended>;

const COUNTED: ReadonlySet<string> = new Set(['Delivered', 'Rejected', 'Parked']);

/**
 * How many of a pipeline's deliveries, of those that this process has committed in the last five minutes, were
 * rejected. Memory is bounded by the number of pipelines with ended deliveries in that time.
 */
export class RejectionRates {
  private newer: Half = new Map();
  private older: Half = new Map();
  private newerFromMs: number;
  /** Pipelines of which many deliveries were rejected at the last look. */
  private readonly many = new Set<PipelineId>();

  constructor(private readonly clock: Clock) {
    this.newerFromMs = clock.nowMs();
  }

  /** Call it once for each commit that was applied. */
  add({ counts }: Pick<PartitionChanges, 'counts'>): void {
    for (const [key, count] of counts) {
      const [pipeline = '', state = ''] = key.split('|', 2);
      if (!COUNTED.has(state)) continue;
      const ended = this.newer.get(pipeline) ?? { all: 0, rejected: 0 };
      ended.all += count;
      if (state === 'Rejected') ended.rejected += count;
      this.newer.set(pipeline, ended);
    }
  }

  /** Whether many deliveries of a pipeline are rejected, of each pipeline of which enough have ended. */
  *look(): Iterable<readonly [PipelineId, boolean]> {
    this.turn();
    for (const pipeline of new Set([
      ...this.older.keys(),
      ...this.newer.keys(),
    ]) as Set<PipelineId>) {
      const areMany = this.areMany(pipeline);
      if (areMany === undefined) continue;
      if (areMany) this.many.add(pipeline);
      else this.many.delete(pipeline);
      yield [pipeline, areMany];
    }
  }

  /** @returns undefined when too few have ended. */
  private areMany(pipeline: PipelineId): boolean | undefined {
    const halves = [this.older.get(pipeline), this.newer.get(pipeline)];
    const all = halves.reduce((sum, half) => sum + (half?.all ?? 0), 0);
    const rejected = halves.reduce((sum, half) => sum + (half?.rejected ?? 0), 0);
    if (all < MIN_ENDED) return undefined;
    return rejected >= all * (this.many.has(pipeline) ? FEW : MANY);
  }

  private turn(): void {
    const nowMs = this.clock.nowMs();
    if (nowMs - this.newerFromMs < HALF_WINDOW_MS) return;
    const isRecent = nowMs - this.newerFromMs < 2 * HALF_WINDOW_MS;
    this.older = isRecent ? this.newer : new Map<string, Ended>();
    this.newer = new Map();
    this.newerFromMs = nowMs;
    for (const pipeline of this.many) if (!this.older.has(pipeline)) this.many.delete(pipeline);
  }
}
