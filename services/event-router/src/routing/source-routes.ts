import type { AcceptedEventHead, ConnectionId, Integrations } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { LaneRoutes } from './lane-routes';
import type { Match } from './match';
import { MatchIndex } from './match-index';
import { OptOuts } from './opt-outs';

/** Where the events of a source go as long as nothing that matters to it is changed. */
export class SourceRoutes {
  private readonly index: MatchIndex;
  private readonly optOuts: OptOuts;

  constructor(
    readonly source: ConnectionId,
    /** Those that have pipelines, in the order of the links. Empty for a source that was not there. */
    readonly lanes: readonly LaneRoutes[],
  ) {
    this.index = new MatchIndex(
      lanes.flatMap(({ lane, pipelines }) => pipelines.map((pipeline) => ({ lane, pipeline }))),
    );
    this.optOuts = new OptOuts(lanes);
  }

  /** The lanes that the event keeps itself from; equal sets are mostly the same object. */
  optedOut(integrations: Integrations | null): ReadonlySet<ConnectionId> {
    return this.optOuts.of(integrations);
  }

  /**
   * The pipelines that the event goes to, in the order of the lanes and, in a lane, of their ids.
   *
   * @param isWanted leaves out lanes before their filters are asked.
   */
  match(
    { integrations }: Pick<AcceptedEventHead, 'integrations'>,
    event: RecordValue,
    isWanted?: (lane: ConnectionId) => boolean,
  ): readonly Match[] {
    const optedOut = this.optOuts.of(integrations);
    return this.index.find(
      event['type'],
      event['event'],
      ({ lane, pipeline }) =>
        !optedOut.has(lane) && isWanted?.(lane) !== false && pipeline.matches(event),
    );
  }
}
