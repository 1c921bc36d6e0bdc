import type { PipelineId } from '@penstock/contracts';
import type { Incoming } from '../routing/incoming';
import type { OutcomeRecord } from '../store/changes';

/** Events of a partition. */
export interface OffsetRange {
  readonly partition: number;
  readonly first: number;
  readonly last: number;
}

/** How the deliveries of events have ended, as routers have recorded it. */
export abstract class RecordedOutcomes {
  /**
   * The endings of deliveries through one pipeline, in the order in which they were recorded; of very many commits only those
   * of the newest.
   *
   * @throws Error when the store is unavailable.
   */
  abstract of(pipeline: PipelineId, range: OffsetRange): Promise<readonly OutcomeRecord[]>;
}

/** The endings of the events of one slice, which are read at once when they are first asked for. */
export class RecordedOfSlice {
  private found: Promise<ReadonlyMap<number, readonly OutcomeRecord[]>> | undefined;

  constructor(
    private readonly recorded: RecordedOutcomes,
    private readonly pipeline: PipelineId,
    private readonly records: readonly Incoming[],
  ) {}

  /** The endings of the event with the offset, through any version of the pipeline. */
  async of(offset: number): Promise<readonly OutcomeRecord[]> {
    this.found ??= this.read();
    return (await this.found).get(offset) ?? [];
  }

  private async read(): Promise<ReadonlyMap<number, readonly OutcomeRecord[]>> {
    const [first, last] = [this.records[0]?.record, this.records.at(-1)?.record];
    if (first === undefined || last === undefined) return new Map();
    const range = { partition: first.partition, first: first.offset, last: last.offset };
    const byOffset = new Map<number, OutcomeRecord[]>();
    for (const outcome of await this.recorded.of(this.pipeline, range)) {
      const others = byOffset.get(outcome.offset);
      if (others === undefined) byOffset.set(outcome.offset, [outcome]);
      else others.push(outcome);
    }
    return byOffset;
  }
}
