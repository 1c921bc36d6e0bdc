import {
  type ConnectionFact,
  type ConnectionId,
  type ConnectionState,
  type EventWriteKey,
  type Nothing,
  type Recorded,
  Refusal,
  type Request,
  type RequestContext,
  type Sealed,
  type WorkspaceId,
} from '@penstock/contracts';
import { Connectors, type Connector } from '@penstock/connectors';
import type { Reading, StreamAppend } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { checkVersion } from '../command-handling/check-version';
import { Configuration } from '../command-handling/configuration';
import { appendTo, deletions, load, loadAll, type Loaded } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import type { RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import { DataKeys } from '../data-keys/data-keys';
import {
  type Connection,
  type ConnectionCommand,
  connectionDecider,
  connectionStream,
} from '../domain/connection.decide';
import { pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { ConnectionDeliveries } from './connection-delivery';
import { ConnectionSettings } from './connection-settings';
import { dependentsOf, present, unchanged } from './connection.checks';

type Reads = Reading<EntityManager>;

type LoadedConnection = Loaded<Connection, ConnectionFact>;

/** What can be done with connections, their write keys and links. */
@Injectable()
export class Connections {
  constructor(
    private readonly configuration: Configuration,
    private readonly connectors: Connectors,
    private readonly settings: ConnectionSettings,
    private readonly dataKeys: DataKeys,
    private readonly limits: LimitChecks,
    private readonly deliveries: ConnectionDeliveries,
  ) {}

  create({ context, in: input }: RequestFor<'CreateConnection'>) {
    return this.configuration.execute(context, async (reading) => {
      const connector = this.connector(input.connector, input.role);
      this.deliveries.checkKind(input.delivery, connector, input.role);
      const given = { settings: input.settings, role: input.role, workspace: context.workspace };
      const settings = await this.settings.check(reading.db, connector, given);
      this.deliveries.checkAge(input.delivery);
      const links = [...new Set(input.linkedConnections)];
      const others = await this.linked(reading, links, context, input.role);
      const isSource = input.role === 'Source';
      const isFed = isSource && connector.eventSource !== undefined;
      const own = await load(reading, connectionDecider, connectionStream(input.id));
      const facts = connectionDecider.decide(
        {
          type: 'CreateConnection',
          connection: {
            id: input.id,
            workspace: context.workspace,
            name: input.name,
            connector: connector.code,
            connectorType: connector.type,
            role: input.role,
            sendingMode: isSource ? null : (input.sendingMode ?? 'Server'),
            settings,
            ...(input.delivery != null && { delivery: input.delivery }),
          },
          writeKey: isFed ? await this.kept(reading, input.writeKey, context.workspace) : null,
          links: isSource ? links : [],
        },
        own.state,
      );
      const linkedTo = isSource ? [] : others.map((source) => this.linkTo(source, input.id));
      return {
        streams: [appendTo(own, facts), ...linkedTo],
        reply: { id: input.id },
        verify: async (db) => {
          await notDeleted(db, context.workspace);
          await present(...links)(db);
          await this.limits.oneMore(db, 'connections', context.organization);
        },
      };
    });
  }

  update({
    context,
    in: { id, name, settings, delivery },
  }: RequestFor<'UpdateConnection'>): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const own = await this.existing(reading, id, context);
      const { connector: code, role, workspace, settings: before } = own.connection;
      if (delivery != null) this.deliveries.checkKind(delivery, this.connector(code, role), role);
      const checked =
        settings === undefined
          ? before
          : await this.settings.check(
              reading.db,
              this.connector(code, role),
              { settings, role, workspace },
              before,
            );
      this.deliveries.checkAge(delivery);
      const change = { name, settings: checked, ...(delivery !== undefined && { delivery }) };
      const command = { type: 'UpdateConnection', ...change } as const;
      return {
        streams: [appendTo(own, connectionDecider.decide(command, own.state))],
        reply: {},
      };
    });
  }

  delete({ context, in: { id } }: Request<{ readonly id: string }>): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const own = await this.existing(reading, id, context);
      const facts = connectionDecider.decide({ type: 'DeleteConnection' }, own.state);
      const dependents = await dependentsOf(reading.db, id);
      const streams = [
        ...(await deletions(reading, pipelineDecider, dependents.pipelines.map(pipelineStream), {
          type: 'DeletePipeline',
        })),
        ...(await this.unlinkFrom(reading, dependents.sources, id)),
        appendTo(own, facts),
      ];
      return { streams, reply: {}, verify: unchanged(id, dependents) };
    });
  }

  link({
    context,
    in: { source, destination },
  }: RequestFor<'LinkConnections'>): Promise<Recorded<Nothing>> {
    return this.changeLink(context, source, destination, 'LinkConnections');
  }

  unlink({
    context,
    in: { source, destination },
  }: RequestFor<'UnlinkConnections'>): Promise<Recorded<Nothing>> {
    return this.changeLink(context, source, destination, 'UnlinkConnections');
  }

  createWriteKey({
    context,
    in: { connection, key },
  }: RequestFor<'CreateEventWriteKey'>): Promise<Recorded<{ readonly sealed: Sealed }>> {
    return this.changeFed(context, connection, async (reading) => {
      const kept = await this.kept(reading, key, context.workspace);
      const reply = { sealed: kept.sealed };
      return { command: { type: 'CreateEventWriteKey', key: kept }, reply };
    });
  }

  deleteWriteKey({
    context,
    in: { connection, hash },
  }: RequestFor<'DeleteEventWriteKey'>): Promise<Recorded<Nothing>> {
    const command = { type: 'DeleteEventWriteKey', hash } as const;
    return this.changeFed(context, connection, () => Promise.resolve({ command, reply: {} }));
  }

  private connector(code: string, role: 'Source' | 'Destination'): Connector {
    const connector = this.connectors.get(code);
    if (connector === undefined) throw new Refusal('ConnectorNotExist', { kind: 'refused' });
    const description = role === 'Source' ? connector.asSource : connector.asDestination;
    if (description !== null) return connector;
    throw new Refusal('BadRequest', {
      details: [{ path: '/role', message: `connector ${code} cannot be a ${role.toLowerCase()}` }],
    });
  }

  /** The other ends of the links that a new connection asks for. */
  private async linked(
    reading: Reads,
    ids: readonly ConnectionId[],
    context: RequestContext,
    role: 'Source' | 'Destination',
  ): Promise<LoadedConnection[]> {
    const ends = await loadAll(reading, connectionDecider, ids.map(connectionStream));
    const details = ends.flatMap(({ state }, index) =>
      this.isEnd(state, context.workspace, role === 'Source' ? 'Destination' : 'Source')
        ? []
        : [{ path: `/linkedConnections/${String(index)}`, message: 'cannot be linked' }],
    );
    if (details.length > 0) throw new Refusal('LinkedConnectionNotExist', { details });
    return ends;
  }

  private linkTo(source: LoadedConnection, destination: ConnectionId): StreamAppend {
    return appendTo(
      source,
      connectionDecider.decide({ type: 'LinkConnections', destination }, source.state),
    );
  }

  /** Whether it can be that end of a link: a source that is fed with events, a destination that takes them. */
  private isEnd(
    state: Connection,
    workspace: WorkspaceId,
    role: 'Source' | 'Destination',
  ): state is ConnectionState {
    if (state === null || state.deleted) return false;
    if (state.workspace !== workspace || state.role !== role) return false;
    const connector = this.connectors.get(state.connector);
    const side = role === 'Source' ? connector?.eventSource : connector?.eventDestination;
    return side !== undefined;
  }

  private async existing(
    reading: Reads,
    id: string,
    context: RequestContext,
  ): Promise<LoadedConnection & { readonly connection: ConnectionState }> {
    const own = await load(reading, connectionDecider, connectionStream(id));
    if (own.state === null || own.state.deleted || own.state.workspace !== context.workspace)
      throw new Refusal('ConnectionNotExist');
    checkVersion(context, own.version);
    return { ...own, connection: own.state };
  }

  private changeLink(
    context: RequestContext,
    source: string,
    destination: string,
    type: 'LinkConnections' | 'UnlinkConnections',
  ): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const from = await load(reading, connectionDecider, connectionStream(source));
      const to = await load(reading, connectionDecider, connectionStream(destination));
      if (
        !this.isEnd(from.state, context.workspace, 'Source') ||
        !this.isEnd(to.state, context.workspace, 'Destination')
      )
        throw new Refusal('ConnectionNotExist');
      checkVersion(context, from.version);
      const command: ConnectionCommand = { type, destination: to.state.id };
      return {
        streams: [appendTo(from, connectionDecider.decide(command, from.state))],
        reply: {},
        verify: present(source, destination),
      };
    });
  }

  private changeFed<Out extends object>(
    context: RequestContext,
    id: string,
    asked: (reading: Reads) => Promise<{
      readonly command: Extract<ConnectionCommand, { readonly type: `${string}EventWriteKey` }>;
      readonly reply: Out;
    }>,
  ): Promise<Recorded<Out>> {
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, connectionDecider, connectionStream(id));
      if (!this.isEnd(own.state, context.workspace, 'Source'))
        throw new Refusal('ConnectionNotExist');
      checkVersion(context, own.version);
      const { command, reply } = await asked(reading);
      return { streams: [appendTo(own, connectionDecider.decide(command, own.state))], reply };
    });
  }

  /** Whatever the gateway has sealed it under. */
  private async kept(
    { db }: Reads,
    { hash, sealed }: EventWriteKey,
    workspace: WorkspaceId,
  ): Promise<EventWriteKey> {
    const seals = await this.dataKeys.of(db, workspace);
    return { hash, sealed: seals.kept(sealed, workspace) };
  }

  private async unlinkFrom(
    reading: Reads,
    sources: readonly string[],
    destination: string,
  ): Promise<StreamAppend[]> {
    const ends = await loadAll(reading, connectionDecider, sources.map(connectionStream));
    const command: ConnectionCommand = {
      type: 'UnlinkConnections',
      destination: destination as ConnectionId,
    };
    return ends.map((from) => {
      const facts: ConnectionFact[] =
        from.state?.deleted === false ? connectionDecider.decide(command, from.state) : [];
      return appendTo(from, facts);
    });
  }
}
