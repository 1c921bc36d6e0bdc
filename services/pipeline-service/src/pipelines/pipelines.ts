import {
  type Commands,
  type ConnectionFact,
  type ConnectionState,
  type Nothing,
  type Recorded,
  Refusal,
  type Request,
  type RequestContext,
} from '@penstock/contracts';
import { Connectors, type EventType } from '@penstock/connectors';
import type { Reading } from '@penstock/event-sourcing';
import { FunctionRunner } from '@penstock/transformations';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import type { RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import { ConnectionSettings } from '../connections/connection-settings';
import { present } from '../connections/connection.checks';
import { connectionDecider, connectionStream } from '../domain/connection.decide';
import { type PipelineCommand, pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { checkAlignment } from './check-alignment';
import { checkDefinition, type Definition, type DefinitionInput } from './check-definition';
import { type CompileFunction, compilingOnce } from './compile-function';
import { existingPipeline } from './existing-pipeline';
import { readTransformation, type SubmittedTransformation } from './read-transformation';

type Reads = Reading<EntityManager>;

/** What can be done with pipelines that send events to applications. */
@Injectable()
export class Pipelines {
  constructor(
    private readonly configuration: Configuration,
    private readonly connectors: Connectors,
    private readonly settings: ConnectionSettings,
    private readonly functions: FunctionRunner,
    private readonly limits: LimitChecks,
  ) {}

  /** @param signal fires when nobody waits for the answer any more; so below. */
  create({ context, in: input }: RequestFor<'CreatePipeline'>, signal?: AbortSignal) {
    const compile = compilingOnce(this.functions, { workspace: context.workspace, signal });
    return this.configuration.execute(context, async (reading) => {
      const submitted = readTransformation(input.transformation);
      const connection = await this.connection(reading, input.connection, context.workspace);
      if (connection === undefined) throw new Refusal('ConnectionNotExist', { kind: 'refused' });
      const eventTypes = await this.eventTypes(reading, connection);
      checkKind(input, eventTypes);
      const eventType = eventTypes?.find(({ id }) => id === input.eventType);
      if (eventType === undefined)
        throw new Refusal('EventTypeNotExist', {
          kind: 'refused',
          message: 'connection does not have event type',
        });
      const definition = await checked(input, submitted, eventType, compile);
      const own = await load(reading, pipelineDecider, pipelineStream(input.id));
      const facts = pipelineDecider.decide(
        {
          type: 'CreatePipeline',
          pipeline: {
            id: input.id,
            workspace: context.workspace,
            connection: connection.id,
            target: 'Event',
            eventType: eventType.id,
            name: input.name,
            enabled: input.enabled ?? false,
            ...definition,
          },
        },
        own.state,
      );
      return {
        streams: [appendTo(own, facts)],
        reply: { id: input.id },
        verify: async (db) => {
          await present(connection.id)(db);
          await this.checkLimits(db, connection.connector, context.organization);
        },
      };
    });
  }

  update(
    { context, in: { id, name, enabled, ...input } }: RequestFor<'UpdatePipeline'>,
    signal?: AbortSignal,
  ): Promise<Recorded<Nothing>> {
    const compile = compilingOnce(this.functions, { workspace: context.workspace, signal });
    return this.configuration.execute(context, async (reading) => {
      const submitted = readTransformation(input.transformation);
      const own = await existingPipeline(reading, id, context);
      const connection = await this.connection(reading, own.pipeline.connection, context.workspace);
      const eventTypes = connection && (await this.eventTypes(reading, connection));
      const eventType = eventTypes?.find((each) => each.id === own.pipeline.eventType);
      const definition = await checked(input, submitted, eventType, compile);
      const facts = pipelineDecider.decide(
        {
          type: 'UpdatePipeline',
          definition: { name, ...definition, ...(enabled !== undefined && { enabled }) },
        },
        own.state,
      );
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }

  setStatus({
    context,
    in: { id, enabled },
  }: RequestFor<'SetPipelineStatus'>): Promise<Recorded<Nothing>> {
    return this.changeOne(context, id, { type: 'SetPipelineStatus', enabled });
  }

  delete({ context, in: { id } }: Request<{ readonly id: string }>): Promise<Recorded<Nothing>> {
    return this.changeOne(context, id, { type: 'DeletePipeline' });
  }

  private changeOne(
    context: RequestContext,
    id: string,
    command: PipelineCommand,
  ): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const own = await existingPipeline(reading, id, context);
      return {
        streams: [appendTo(own, pipelineDecider.decide(command, own.state))],
        reply: {},
      };
    });
  }

  /** Asked inside the append's transaction. */
  private async checkLimits(
    db: EntityManager,
    connector: string,
    organization: string,
  ): Promise<void> {
    await this.limits.use(db, connector, this.connectors.list.length, organization);
    await this.limits.oneMore(db, 'pipelines', organization);
  }

  private async connection(
    reading: Reads,
    id: string,
    workspace: string,
  ): Promise<ConnectionState | undefined> {
    const { state } = await load<ConnectionState | null, never, ConnectionFact>(
      reading,
      connectionDecider,
      connectionStream(id),
    );
    return state === null || state.deleted || state.workspace !== workspace ? undefined : state;
  }

  /** @returns undefined for a connection that does not take events. */
  private async eventTypes(
    { db }: Reads,
    connection: ConnectionState,
  ): Promise<readonly EventType[] | undefined> {
    const connector = this.connectors.get(connection.connector);
    if (connector === undefined) throw new Refusal('ConnectorNotExist', { kind: 'refused' });
    if (connection.role !== 'Destination') return undefined;
    const settings = await this.settings.open(db, connector, connection);
    return connector.eventDestination?.eventTypes(settings);
  }
}

/** The kind of pipeline that connection and target make, and the members that it must have. */
const checkKind = (
  { target, eventType }: Commands['CreatePipeline']['in'],
  eventTypes: readonly EventType[] | undefined,
): void => {
  if (target !== 'Event' || eventTypes === undefined)
    throw new Refusal('BadRequest', {
      details: [
        {
          path: '/target',
          message: `the connection does not have pipelines with target ${target}`,
        },
      ],
    });
  if (eventType === null)
    throw new Refusal('BadRequest', {
      details: [{ path: '/eventType', message: 'is required for a pipeline on events' }],
    });
};

const checked = async (
  input: DefinitionInput,
  submitted: SubmittedTransformation | null,
  eventType: EventType | undefined,
  compile: CompileFunction,
): Promise<Omit<Definition, 'schema'>> => {
  const { schema, ...definition } = checkDefinition(input, submitted);
  const fn = definition.transformation?.function;
  checkAlignment(schema, eventType?.schema ?? null, fn?.outPaths);
  if (fn && schema) await compile(fn, schema);
  return definition;
};
