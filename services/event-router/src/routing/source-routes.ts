import type { AcceptedEventHead, ConnectionId, Integrations } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import type { LaneRoutes } from './lane-routes';
import type { Match } from './match';
import { MatchIndex } from './match-index';
import { OptOuts } from './opt-outs';
import type { DestinationId } from '../store/lane-id';

/** The routes of a source between two changes that concern it. */
export class SourceRoutes {
  private readonly index: MatchIndex;
  private readonly optOuts: OptOuts;

  constructor(
    readonly source: ConnectionId,
    /** Linked destinations that have pipelines, in the order of the links. Empty for a source that did not exist. */
    readonly lanes: readonly LaneRoutes[],
  ) {
    this.index = new MatchIndex(
      lanes.flatMap(({ lane, pipelines }) => pipelines.map((pipeline) => ({ lane, pipeline }))),
    );
    this.optOuts = new OptOuts(lanes);
  }

  /** The lanes that the event opts out of; equal sets are usually the same object. */
  optedOut(integrations: Integrations | null): ReadonlySet<DestinationId> {
    return this.optOuts.of(integrations);
  }

  /**
   * The pipelines that match the event, in the order of the lanes, then of their ids.
   *
   * @param isWanted excludes lanes before their filters are evaluated.
   */
  match(
    { integrations }: Pick<AcceptedEventHead, 'integrations'>,
    event: RecordValue,
    isWanted?: (lane: DestinationId) => boolean,
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
