import { ConnectionHistory } from './connection-history';
import type { ConnectionId } from '../ids';
import type { HistoricalConnection, HistoricalConnectionRecord } from '../historical-connection';
import { PipelinesHistory } from './pipelines-history';
import { type Span, within } from './span';
import type { ConnectionState, PipelineState } from '../state';

const ALWAYS: Span = { from: 0, until: Infinity };

/** What of the configuration decides where events go, at every position as far back as that is known. */
export class ConfigurationHistory {
  private readonly connections = new Map<string, ConnectionHistory>();
  private readonly pipelines = new Map<string, PipelinesHistory>();
  private readonly changes = new Map<string, number>();
  private revisionNumber = 0;
  private settledPosition = 0;

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

  pipelinesOnAt(connection: ConnectionId, position: number): PipelineState[] {
    return this.pipelines.get(connection)?.at(position) ?? [];
  }

  /** For how long the links of the connection, and whether it is there, have been as they were at the position. */
  connectionSpanAt(id: ConnectionId, position: number): Span {
    return this.connections.get(id)?.spanAt(position) ?? ALWAYS;
  }

  /** The same for a destination with its pipelines. */
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
      this.connectionSpanAt(source, position),
    );
  }

  addConnection(position: number, state: ConnectionState): void {
    const history = this.connections.get(state.id) ?? new ConnectionHistory();
    this.connections.set(state.id, history);
    if (history.add({ position, state }, this.settledPosition)) this.changed(state.id, position);
  }

  addPipeline(position: number, state: PipelineState): void {
    const history = this.pipelines.get(state.connection) ?? new PipelinesHistory();
    this.pipelines.set(state.connection, history);
    if (history.add(position, state)) this.changed(state.connection, position);
  }

  /** Only states that are older than one that is held: the newest comes from the log. */
  learn(id: ConnectionId, records: readonly HistoricalConnectionRecord[], upTo: number): void {
    this.connections.get(id)?.learn(records, upTo);
  }

  forgetBefore(position: number): void {
    for (const history of this.connections.values()) history.forgetBefore(position);
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
