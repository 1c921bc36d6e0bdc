import type { HistoricalConnection, HistoricalConnectionRecord } from '../historical-connection';
import type { PipelineStateAt } from '../history-source';
import type { ConnectionId, PipelineId } from '../ids';
import { type EventPipelineState, isRun, readStateKey, type StateRecord } from '../state';
import { ConfigurationHistory } from './configuration-history';
import { ConfigurationReplica, type ReplicaOptions } from './configuration-replica';
import { PipelineTexts } from './pipeline-texts';

/** How a {@link RoutingReplica} holds what it holds. */
export interface RoutingReplicaOptions extends ReplicaOptions {
  /** Characters of the definitions of pipelines that are learned and remembered. Default 32 million. */
  readonly maxLearnedLength?: number;
}

/** A replica that also knows what led events where at earlier positions, as far as that is held. */
export class RoutingReplica extends ConfigurationReplica {
  /** As it was at earlier positions. */
  readonly history = new ConfigurationHistory((id, version) => this.pipelineVersion(id, version));
  private readonly superseded: PipelineTexts;

  constructor(options: RoutingReplicaOptions = {}) {
    super(options);
    this.superseded = new PipelineTexts(options.maxLearnedLength);
  }

  override apply(record: StateRecord): void {
    const { position, state } = record;
    if (state.kind === 'connection') this.history.addConnection(position, state);
    else if (state.kind === 'pipeline' && !isRun(state)) this.applyPipeline(position, state);
    super.apply(record);
  }

  /**
   * Call it when everything has been applied that the topic held some time after the newest applied record was written.
   * Only then is the replica complete at {@link seen}: while a compacted topic is read, later records stand for earlier
   * ones.
   */
  settle(): void {
    this.history.settle(this.seen);
  }

  /** @returns undefined also for a pipeline that no events are routed to: one that runs. */
  override pipeline(id: PipelineId | string): EventPipelineState | undefined {
    const found = super.pipeline(id);
    return found === undefined || isRun(found) ? undefined : found;
  }

  /** @returns undefined when the version is not held, and when there never was one. */
  pipelineVersion(id: PipelineId, version: number): EventPipelineState | undefined {
    return this.isNewest(id, version) ? this.pipeline(id) : this.superseded.get(id, version);
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
   *
   * @returns `unknown` when one of them is not held in that version: see {@link unknownPipelinesOnAt}.
   */
  pipelinesOnAt(connection: ConnectionId, position: number): EventPipelineState[] | 'unknown' {
    return this.history.pipelinesOnAt(connection, position);
  }

  /** Those that have to be learned before {@link pipelinesOnAt} is known. */
  unknownPipelinesOnAt(connection: ConnectionId, position: number): PipelineId[] {
    return this.history.unknownPipelinesOnAt(connection, position, (id, version) =>
      this.isHeld(id, version),
    );
  }

  /**
   * Adds older states of a connection from elsewhere, in order; those that are held change nothing.
   *
   * @param upTo the position up to which there are no others behind the first of them; without any: it was not there
   *   yet.
   */
  learn(id: ConnectionId, records: readonly HistoricalConnectionRecord[], upTo: number): void {
    this.history.learn(id, records, upTo);
  }

  /** The same of a pipeline. Its definitions are held as long as there is room. */
  learnPipeline(id: PipelineId, records: readonly PipelineStateAt[], upTo: number): void {
    const connection = this.pipelineHead(id)?.connection;
    if (connection === undefined) return;
    this.history.learnPipeline(connection, id, records, upTo);
    for (const { state } of records)
      if (!state.deleted && !this.isNewest(id, state.version)) this.superseded.learn(state);
  }

  /**
   * Keeps the definitions that are learned or used from now on, though there were no room for them.
   *
   * @returns a function that ends that. Call it soon.
   */
  holdLearned(): () => void {
    return this.superseded.hold();
  }

  /** Drops what was superseded before the position; {@link connectionAt} may not know it from then on. */
  forgetBefore(position: number): void {
    this.history.forgetBefore(position);
  }

  protected override forget(key: string): void {
    const { kind, id, version } = readStateKey(key);
    if (kind === 'connection') this.history.forgetConnection(id);
    else if (kind === 'pipeline' && version !== undefined)
      this.forgetVersion(id as PipelineId, version);
    super.forget(key);
  }

  private applyPipeline(position: number, state: EventPipelineState): void {
    const newest = this.pipeline(state.id);
    const isSuperseded = state.version < (this.pipelineHead(state.id)?.version ?? 0);
    if (isSuperseded) this.superseded.publish(state);
    else if (newest !== undefined && newest.version < state.version)
      this.superseded.publish(newest);
    this.history.addPipeline(position, state);
  }

  private forgetVersion(id: PipelineId, version: number): void {
    this.superseded.forget(id, version);
    const head = this.pipelineHead(id);
    if (head?.version === version) this.history.forgetPipeline(head.connection, id);
  }

  private isHeld(id: PipelineId, version: number): boolean {
    return this.isNewest(id, version) || this.superseded.has(id, version);
  }

  private isNewest(id: PipelineId, version: number): boolean {
    const head = this.pipelineHead(id);
    return head?.version === version && !head.deleted;
  }
}
