import type {
  HistorySource,
  PipelineId,
  EventPipelineState,
  PipelineStateAt,
} from '@penstock/contracts';

interface Known {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  readonly states: readonly PipelineStateAt[];
}

/** Finds versions of pipelines as they were at earlier positions of the configuration. */
export class PipelinesThen {
  private readonly known = new Map<PipelineId, Known>();

  constructor(private readonly history: Pick<HistorySource, 'pipelineStates'>) {}

  /**
   * Returns a look-up of the version that held at a position from `from` to `to`, which are both included; undefined
   * where the pipeline did not exist, or was deleted.
   *
   * @throws Error when the history is unavailable.
   */
  async versions(
    pipeline: PipelineId,
    from: number,
    to: number,
  ): Promise<(position: number) => EventPipelineState | undefined> {
    const { states } = await this.statesOf(pipeline, from, to + 1);
    return (position) => {
      const held = states.filter((each) => each.position <= position).at(-1)?.state;
      return held?.deleted === true ? undefined : held;
    };
  }

  private async statesOf(pipeline: PipelineId, from: number, to: number): Promise<Known> {
    const before = this.known.get(pipeline);
    if (before !== undefined && before.from <= from && before.to >= to) return before;
    const states = await this.history.pipelineStates(pipeline, from, to);
    const known = { from, to, states };
    this.known.set(pipeline, known);
    return known;
  }
}
