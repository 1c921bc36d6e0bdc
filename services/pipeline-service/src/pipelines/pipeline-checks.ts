import type { Connector, EventType } from '@penstock/connectors';
import {
  type ConnectionState,
  type CreatePipeline as Input,
  type EventDefinition,
  type ExportDefinition,
  type ImportDefinition,
  type PipelineInput,
  type PipelineState,
  Refusal,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { unchangedStreams } from '../command-handling/unchanged-streams';
import { presentProfiles } from '../profiles/present-profiles';
import { checkedDefinition, checkedWarehouseDefinition } from './checked-definition';
import { checkedExport } from './checked-export';
import { checkedImport } from './checked-import';
import type { CompileFunction } from './compile-function';
import { PipelineConnections } from './pipeline-connections';
import {
  checkMembers,
  type ExportKind,
  type ImportKind,
  pipelineKind,
  type PipelineKind,
} from './pipeline-kind';
import { readTransformation, type SubmittedTransformation } from './read-transformation';

type Reads = Reading<EntityManager>;

type OwnMembers<Definition> = Omit<Definition, 'name' | 'enabled'>;

/** Target, event type and definition of a pipeline, in canonical form. */
export type CheckedMembers =
  | ({ readonly target: 'Event'; readonly eventType: string } & OwnMembers<EventDefinition>)
  | ({ readonly target: 'Event' | 'User'; readonly eventType: null } & OwnMembers<EventDefinition>)
  | ({ readonly target: 'User'; readonly eventType: null } & OwnMembers<ImportDefinition>)
  | ({ readonly target: 'User'; readonly eventType: null } & OwnMembers<ExportDefinition>);

/** A pipeline that may be created or updated, as far as its own members decide that. */
export interface CheckedPipeline {
  readonly connection: ConnectionState;
  readonly members: CheckedMembers;
  /** What the decision was based on beside the pipeline and its connection: it must not have changed when it is recorded. */
  readonly based: Parameters<typeof unchangedStreams>[0];
}

/** What a definition is checked for. */
interface Subject {
  readonly connection: ConnectionState;
  readonly connector: Connector;
  readonly kind: PipelineKind;
}

type ImportSubject = Subject & { readonly kind: ImportKind };
type ExportSubject = Subject & { readonly kind: ExportKind };

const EXPORTS: readonly PipelineKind[] = ['toApplication', 'toDatabase', 'toFile'];

const isExport = (of: Subject): of is ExportSubject => EXPORTS.includes(of.kind);

const isImport = (of: Subject): of is ImportSubject =>
  of.kind !== 'event' && !isOfWarehouse(of) && !isExport(of);

const isOfWarehouse = ({ kind }: Subject): boolean => kind === 'identities' || kind === 'rows';

const warehouseOf = async (
  reading: Reads,
  { kind, connection }: Subject,
  input: PipelineInput,
  submitted: SubmittedTransformation | null,
  compile: CompileFunction,
): Promise<CheckedPipeline> => {
  const { own, profiles } = await presentProfiles(reading, connection.workspace);
  const definition = await checkedWarehouseDefinition(input, submitted, compile, profiles.schema);
  return {
    connection,
    members: { target: kind === 'rows' ? 'Event' : 'User', eventType: null, ...definition },
    based: definition.outSchema === null ? [] : [own],
  };
};

/** The checks of a pipeline of any kind, and of a draft that takes the place of one. */
@Injectable()
export class PipelineChecks {
  constructor(private readonly connections: PipelineConnections) {}

  /**
   * Checks a pipeline that is to be created.
   *
   * @throws Refusal BadRequest, ConnectionNotExist, ConnectorNotExist, EventTypeNotExist, FormatNotExist,
   *   IncrementalNotPossible, UnsupportedLanguage, SchemaNotAligned, TransformationFailed, ServiceUnavailable
   */
  async ofNew(
    reading: Reads,
    input: Omit<Input, 'id'>,
    workspace: string,
    compile: CompileFunction,
  ): Promise<CheckedPipeline> {
    const submitted = readTransformation(input.transformation);
    const connection = await this.connections.find(reading, input.connection, workspace);
    if (connection === undefined) throw new Refusal('ConnectionNotExist', { kind: 'refused' });
    const of = this.subject(connection, input.target);
    checkMembers(of.kind, input);
    if (isImport(of)) return this.importOf(reading, input, submitted, of, compile);
    if (isExport(of)) return this.exportOf(reading, input, submitted, of, compile);
    if (isOfWarehouse(of)) return warehouseOf(reading, of, input, submitted, compile);
    const eventType = await this.eventTypeOf(reading, of, input.eventType);
    if (eventType === undefined)
      throw new Refusal('EventTypeNotExist', {
        kind: 'refused',
        message: 'connection does not have event type',
      });
    const definition = await checkedDefinition(input, submitted, eventType, compile);
    const members = { target: 'Event' as const, eventType: eventType.id, ...definition };
    return { connection, members, based: [] };
  }

  /**
   * Checks the new definition of a pipeline. The event type may have gone since the pipeline was created.
   *
   * @param submitted the transformation of the input, which is read before the pipeline is looked up.
   * @throws Refusal as {@link ofNew}, but PipelineNotExist when the connection was deleted, and never EventTypeNotExist.
   */
  async ofUpdate(
    reading: Reads,
    input: PipelineInput,
    submitted: SubmittedTransformation | null,
    pipeline: PipelineState,
    compile: CompileFunction,
  ): Promise<CheckedPipeline> {
    const { connection: id, workspace, target } = pipeline;
    const connection = await this.connections.find(reading, id, workspace);
    if (connection === undefined) throw new Refusal('PipelineNotExist');
    const of = this.subject(connection, target);
    checkMembers(of.kind, { ...input, eventType: pipeline.eventType });
    if (isImport(of)) return this.importOf(reading, input, submitted, of, compile);
    if (isExport(of)) return this.exportOf(reading, input, submitted, of, compile);
    if (isOfWarehouse(of)) return warehouseOf(reading, of, input, submitted, compile);
    const eventType = await this.eventTypeOf(reading, of, pipeline.eventType);
    const definition = await checkedDefinition(input, submitted, eventType, compile);
    return {
      connection,
      members: { target: 'Event', eventType: pipeline.eventType ?? '', ...definition },
      based: [],
    };
  }

  private subject(connection: ConnectionState, target: string): Subject {
    const connector = this.connections.connectorOf(connection);
    return { connection, connector, kind: pipelineKind(connector, connection, target) };
  }

  private async eventTypeOf(
    reading: Reads,
    { connection, connector }: Subject,
    id: string | null,
  ): Promise<EventType | undefined> {
    const eventTypes = await this.connections.eventTypes(reading, connector, connection);
    return eventTypes?.find((each) => each.id === id);
  }

  private async importOf(
    reading: Reads,
    input: PipelineInput,
    submitted: SubmittedTransformation | null,
    { connection, connector, kind }: ImportSubject,
    compile: CompileFunction,
  ): Promise<CheckedPipeline> {
    const { database, fileStorage, userSource } = connector;
    const { own, profiles } = await presentProfiles(reading, connection.workspace);
    const definition = await checkedImport(input, submitted, {
      kind,
      compile,
      database,
      profiles: profiles.schema,
      readsChanges: userSource?.readsChanges === true,
      storage: fileStorage && {
        storage: fileStorage,
        settings: await this.connections.settingsOf(reading, connector, connection),
      },
    });
    return {
      connection,
      members: { target: 'User', eventType: null, ...definition },
      based: [own],
    };
  }

  private async exportOf(
    reading: Reads,
    input: PipelineInput,
    submitted: SubmittedTransformation | null,
    { connection, connector, kind }: ExportSubject,
    compile: CompileFunction,
  ): Promise<CheckedPipeline> {
    const { fileDestination } = connector;
    const { own, profiles } = await presentProfiles(reading, connection.workspace);
    const definition = await checkedExport(input, submitted, {
      kind,
      compile,
      profiles: profiles.schema,
      storage: fileDestination && {
        storage: fileDestination,
        settings: await this.connections.settingsOf(reading, connector, connection),
      },
    });
    return {
      connection,
      members: { target: 'User', eventType: null, ...definition },
      based: [own],
    };
  }
}
