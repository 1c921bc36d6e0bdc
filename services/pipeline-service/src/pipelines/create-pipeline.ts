import { Connectors, type EventType } from '@penstock/connectors';
import { type CreatePipeline as Input, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { FunctionRunner } from '@penstock/transformations';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import { present } from '../connections/connection.checks';
import { pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { compilingOnce } from './compile-function';
import { checkedDefinition } from './checked-definition';
import { PipelineConnections } from './pipeline-connections';
import { readTransformation } from './read-transformation';

/** Creates a pipeline that sends events to an application. */
@Controller()
export class CreatePipeline {
  constructor(
    private readonly configuration: Configuration,
    private readonly connections: PipelineConnections,
    private readonly connectors: Connectors,
    private readonly functions: FunctionRunner,
    private readonly limits: LimitChecks,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('CreatePipeline')
  handle(@Payload() request: RequestFor<'CreatePipeline'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    const { organization, workspace } = context;
    return this.slow.handle(request, received, (signal) => {
      const compile = compilingOnce(this.functions, { workspace, signal });
      return this.configuration.execute(context, async (reading) => {
        const submitted = readTransformation(input.transformation);
        const connection = await this.connections.find(reading, input.connection, workspace);
        if (connection === undefined) throw new Refusal('ConnectionNotExist', { kind: 'refused' });
        const eventTypes = await this.connections.eventTypes(reading, connection);
        const eventType = eventTypeOf(input, eventTypes);
        const definition = await checkedDefinition(input, submitted, eventType, compile);
        const own = await load(reading, pipelineDecider, pipelineStream(input.id));
        const pipeline = {
          id: input.id,
          workspace,
          connection: connection.id,
          target: 'Event',
          eventType: eventType.id,
          name: input.name,
          enabled: input.enabled ?? false,
          ...definition,
        } as const;
        const facts = pipelineDecider.decide({ type: 'CreatePipeline', pipeline }, own.state);
        return {
          streams: [appendTo(own, facts)],
          reply: { id: input.id },
          verify: async (db) => {
            const { connector } = connection;
            await present(connection.id)(db);
            await this.limits.use(db, connector, this.connectors.list.length, organization);
            await this.limits.oneMore(db, 'pipelines', organization);
          },
        };
      });
    });
  }
}

/**
 * Checks the members that pipelines on events have.
 *
 * @param eventTypes of the connection; undefined where it does not accept events.
 * @throws Refusal BadRequest, EventTypeNotExist
 */
const eventTypeOf = (
  { target, eventType }: Input,
  eventTypes: readonly EventType[] | undefined,
): EventType => {
  if (target !== 'Event' || eventTypes === undefined) {
    const message = `the connection does not have pipelines with target ${target}`;
    throw new Refusal('BadRequest', { details: [{ path: '/target', message }] });
  }
  if (eventType === null) {
    const message = 'is required for a pipeline on events';
    throw new Refusal('BadRequest', { details: [{ path: '/eventType', message }] });
  }
  const found = eventTypes.find(({ id }) => id === eventType);
  if (found !== undefined) return found;
  throw new Refusal('EventTypeNotExist', {
    kind: 'refused',
    message: 'connection does not have event type',
  });
};
