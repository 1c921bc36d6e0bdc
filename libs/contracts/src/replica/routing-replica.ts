import type { HistoricalConnection, HistoricalConnectionRecord } from '../historical-connection';
import type { ConnectionId, PipelineId } from '../ids';
import type { PipelineState, StateRecord } from '../state';
import { ConfigurationHistory } from './configuration-history';
import { ConfigurationReplica } from './configuration-replica';

const versionKey = (id: PipelineId, version: number): string => `${id}@${String(version)}`;

/** A replica that also knows what led events where, at earlier positions, and every version of each pipeline. */
export class RoutingReplica extends ConfigurationReplica {
  /** As it was at earlier positions. */
  readonly history = new ConfigurationHistory();
  private readonly versions = new Map<string, PipelineState>();

  override apply(record: StateRecord): void {
    const { position, state } = record;
    if (state.kind === 'connection') this.history.addConnection(position, state);
    else if (state.kind === 'pipeline') {
      this.versions.set(versionKey(state.id, state.version), state);
      this.history.addPipeline(position, state);
    }
    super.apply(record);
  }

  /**
   * Everything has been taken that stood in the topic some time after the newest record that was taken before. Only then
   * is the replica whole at {@link seen}: a compacted topic that is being read has left out what it will still bring.
   */
  settle(): void {
    this.history.settle(this.seen);
  }

  pipelineVersion(id: PipelineId, version: number): PipelineState | undefined {
    return this.versions.get(versionKey(id, version));
  }

  /**
   * The connection as it was at a position of the configuration.
   *
   * @returns undefined when it was not there then, or was deleted; `unknown` when what it was is not held:
   *   {@link learn} it.
   */
  connectionAt(id: ConnectionId, position: number): HistoricalConnection | undefined | 'unknown' {
    return this.history.connectionAt(id, position);
  }

  /**
   * The pipelines that the connection had at a position, each in its version of then, sorted by their ids. Also those
   * that were deleted later, and those of a connection that was.
   */
  pipelinesOnAt(connection: ConnectionId, position: number): PipelineState[] {
    return this.history.pipelinesOnAt(connection, position);
  }

  /**
   * Takes older states of a connection from elsewhere, in order; those that are held change nothing.
   *
   * @param upTo the position up to which there are no others behind the first of them; without any: it was not there yet.
   */
  learn(id: ConnectionId, records: readonly HistoricalConnectionRecord[], upTo: number): void {
    this.history.learn(id, records, upTo);
  }

  /** Drops what was superseded before the position; {@link connectionAt} may not know it from then on. */
  forgetBefore(position: number): void {
    this.history.forgetBefore(position);
  }
}
