import { Connectors } from '@penstock/connectors';
import {
  type ConnectionFact,
  type ConnectionId,
  type ConnectionRole,
  type ConnectionState,
  Refusal,
  type RequestContext,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { checkVersion } from '../command-handling/check-version';
import { load, loadAll, type Loaded } from '../command-handling/decide-on';
import { type Connection, connectionDecider, connectionStream } from '../domain/connection.decide';

type Reads = Pick<Reading<EntityManager>, 'read'>;

type LoadedConnection = Loaded<Connection, ConnectionFact>;

/**
 * Finds the connections that events pass through: sources that receive events, which have write keys, and destinations
 * that accept events, which sources can be linked to.
 */
@Injectable()
export class EventConnections {
  constructor(private readonly connectors: Connectors) {}

  /**
   * Loads a source that receives events and checks the version that the caller expects.
   *
   * @throws Refusal ConnectionNotExist, Conflict
   */
  async source(reading: Reads, id: string, context: RequestContext): Promise<LoadedConnection> {
    const own = await load(reading, connectionDecider, connectionStream(id));
    if (!this.isOne(own.state, context.workspace, 'Source'))
      throw new Refusal('ConnectionNotExist');
    checkVersion(context, own.version);
    return own;
  }

  /**
   * Loads the ends of a link and checks the version of the source, which the link belongs to.
   *
   * @throws Refusal ConnectionNotExist, Conflict
   */
  async endsOf(
    reading: Reads,
    link: { readonly source: string; readonly destination: string },
    context: RequestContext,
  ): Promise<{ readonly source: LoadedConnection; readonly destination: ConnectionId }> {
    const source = await load(reading, connectionDecider, connectionStream(link.source));
    const { state } = await load(reading, connectionDecider, connectionStream(link.destination));
    if (
      !this.isOne(source.state, context.workspace, 'Source') ||
      !this.isOne(state, context.workspace, 'Destination')
    )
      throw new Refusal('ConnectionNotExist');
    checkVersion(context, source.version);
    return { source, destination: state.id };
  }

  /**
   * Loads the connections that a new connection is to be linked to.
   *
   * @param given their ids as they were submitted; one that is there again counts once.
   * @param role of the new connection; the others have the opposite one.
   * @throws Refusal LinkedConnectionNotExist with a detail for each that cannot be linked.
   */
  async linkedTo(
    reading: Reads,
    given: readonly ConnectionId[],
    workspace: WorkspaceId,
    role: ConnectionRole,
  ): Promise<LoadedConnection[]> {
    const opposite = role === 'Source' ? 'Destination' : 'Source';
    const streams = given.map(connectionStream);
    const others = await loadAll(reading, connectionDecider, [...new Set(streams)]);
    const details = others.flatMap(({ state, stream }) =>
      this.isOne(state, workspace, opposite)
        ? []
        : [
            {
              path: `/linkedConnections/${String(streams.indexOf(stream))}`,
              message: `must be the id of a ${opposite.toLowerCase()} of this workspace whose connector handles events`,
            },
          ],
    );
    if (details.length > 0) throw new Refusal('LinkedConnectionNotExist', { details });
    return others;
  }

  private isOne(
    state: Connection,
    workspace: WorkspaceId,
    role: ConnectionRole,
  ): state is ConnectionState {
    if (state === null || state.deleted) return false;
    if (state.workspace !== workspace || state.role !== role) return false;
    const connector = this.connectors.get(state.connector);
    const side = role === 'Source' ? connector?.eventSource : connector?.eventDestination;
    return side !== undefined;
  }
}
