import type { ConnectionId, PipelineId } from '../ids';
import {
  type HistoricalConnection,
  historicalConnection,
  type HistoricalConnectionRecord,
  routesAlike,
} from '../historical-connection';
import { type FindVersion, PipelinesHistory } from './pipelines-history';
import { type Span, within } from './span';
import { type HistoricalRecord, type HistoryRules, StateHistory } from './state-history';
import type { ConnectionState, EventPipelineState } from '../state';

const ALWAYS: Span = { from: 0, until: Infinity };

const CONNECTIONS: HistoryRules<HistoricalConnection> = {
  kept: historicalConnection,
  areAlike: routesAlike,
};

/** What of the configuration decides where events go, at every position as far back as that is known. */
export class ConfigurationHistory {
  private readonly connections = new Map<string, StateHistory<HistoricalConnection>>();
  private readonly pipelines = new Map<string, PipelinesHistory>();
  private readonly changes = new Map<string, number>();
  private revisionNumber = 0;
  private settledPosition = 0;

  /** @param findVersion finds the definitions of pipelines. */
  constructor(private readonly findVersion: FindVersion) {}

  /** Another number after every change that may lead events another way; comparing it costs nothing. */
  get revision(): number {
    return this.revisionNumber;
  }

  /** Everything up to here is known to be held, but what was superseded before it was read. */
  get settled(): number {
    return this.settledPosition;
  }

  settle(position: number): void {
    this.settledPosition = Math.max(position, this.settledPosition);
  }

  /** Position of the newest change of the connection, or of a pipeline on it, that may lead events another way. */
  changedAt(connection: ConnectionId): number {
    return this.changes.get(connection) ?? 0;
  }

  connectionAt(id: ConnectionId, position: number): HistoricalConnection | undefined | 'unknown' {
    return this.connections.get(id)?.at(position);
  }

  pipelinesOnAt(connection: ConnectionId, position: number): EventPipelineState[] | 'unknown' {
    return this.pipelines.get(connection)?.at(position) ?? [];
  }

  /** The pipelines of a connection that keep {@link pipelinesOnAt} from being known. */
  unknownPipelinesOnAt(
    connection: ConnectionId,
    position: number,
    isHeld: (id: PipelineId, version: number) => boolean,
  ): PipelineId[] {
    return this.pipelines.get(connection)?.unknownAt(position, isHeld) ?? [];
  }

  /** For how long the links of the connection, and whether it is there, have been as they were at the position. */
  connectionSpanAt(id: ConnectionId, position: number): Span {
    return this.connections.get(id)?.spanAt(position) ?? ALWAYS;
  }

  /** The same for a connection with its pipelines: of a source, those that write into the warehouse. */
  destinationSpanAt(id: ConnectionId, position: number): Span {
    const pipelines = this.pipelines.get(id)?.spanAt(position) ?? ALWAYS;
    return within(this.connectionSpanAt(id, position), pipelines);
  }

  /** For how long the events of a source have gone the way that they went at the position. */
  routesSpanAt(source: ConnectionId, position: number): Span {
    const state = this.connectionAt(source, position);
    const links = typeof state === 'object' ? state.links : [];
    return links.reduce(
      (span, link) => within(span, this.destinationSpanAt(link, position)),
      this.destinationSpanAt(source, position),
    );
  }

  addConnection(position: number, state: ConnectionState): void {
    const history = this.connections.get(state.id) ?? new StateHistory(CONNECTIONS);
    this.connections.set(state.id, history);
    if (history.add({ position, state }, this.settledPosition)) this.changed(state.id, position);
  }

  addPipeline(position: number, state: EventPipelineState): void {
    const history = this.pipelines.get(state.connection) ?? new PipelinesHistory(this.findVersion);
    this.pipelines.set(state.connection, history);
    if (history.add(position, state, this.settledPosition))
      this.changed(state.connection, position);
  }

  /** Only states that are older than one that is held: the newest comes from the log. */
  learn(id: ConnectionId, records: readonly HistoricalConnectionRecord[], upTo: number): void {
    this.connections.get(id)?.learn(records, upTo);
  }

  /** The same of a pipeline of the connection. */
  learnPipeline(
    connection: ConnectionId,
    id: PipelineId,
    records: readonly HistoricalRecord<EventPipelineState>[],
    upTo: number,
  ): void {
    this.pipelines.get(connection)?.learn(id, records, upTo);
  }

  /** The log holds nothing of the connection any more: it was deleted long ago. */
  forgetConnection(id: string): void {
    this.connections.delete(id);
    this.changes.delete(id);
  }

  /** The same of a pipeline. */
  forgetPipeline(connection: ConnectionId, id: PipelineId): void {
    const history = this.pipelines.get(connection);
    history?.forget(id);
    if (history?.isEmpty === true) this.pipelines.delete(connection);
  }

  forgetBefore(position: number): void {
    for (const history of this.connections.values()) history.forgetBefore(position);
    for (const history of this.pipelines.values()) history.forgetBefore(position);
  }

  /** States of connections that are held, the newest ones included. */
  get heldStates(): number {
    let held = 0;
    for (const { length } of this.connections.values()) held += length;
    return held;
  }

  private changed(connection: string, position: number): void {
    this.changes.set(connection, Math.max(position, this.changes.get(connection) ?? 0));
    this.revisionNumber += 1;
  }
}
