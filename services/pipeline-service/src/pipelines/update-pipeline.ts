import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { FunctionRunner } from '@penstock/transformations';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { pipelineDecider } from '../domain/pipeline.decide';
import { compilingOnce } from './compile-function';
import { existingPipeline } from './existing-pipeline';
import { checkedDefinition } from './checked-definition';
import { PipelineConnections } from './pipeline-connections';
import { readTransformation } from './read-transformation';

/** Replaces the definition of a pipeline; its connection, target and event type stay. */
@Controller()
export class UpdatePipeline {
  constructor(
    private readonly configuration: Configuration,
    private readonly connections: PipelineConnections,
    private readonly functions: FunctionRunner,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('UpdatePipeline')
  handle(@Payload() request: RequestFor<'UpdatePipeline'>, @Ctx() received: LogRequestContext) {
    const { context } = request;
    const { id, name, enabled, ...input } = request.in;
    const { workspace } = context;
    return this.slow.handle(request, received, (signal) => {
      const compile = compilingOnce(this.functions, { workspace, signal });
      return this.configuration.execute(context, async (reading) => {
        const submitted = readTransformation(input.transformation);
        const own = await existingPipeline(reading, id, context);
        const { pipeline } = own;
        const connection = await this.connections.find(reading, pipeline.connection, workspace);
        const eventTypes = connection && (await this.connections.eventTypes(reading, connection));
        const eventType = eventTypes?.find((each) => each.id === pipeline.eventType);
        const checked = await checkedDefinition(input, submitted, eventType, compile);
        const definition = { name, ...checked, ...(enabled !== undefined && { enabled }) };
        const facts = pipelineDecider.decide({ type: 'UpdatePipeline', definition }, own.state);
        return { streams: [appendTo(own, facts)], reply: {} };
      });
    });
  }
}
