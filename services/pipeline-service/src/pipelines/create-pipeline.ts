import { Connectors } from '@penstock/connectors';
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
import { NewPipelineChecks } from './new-pipeline-checks';

/** Creates a pipeline that sends events to an application. */
@Controller()
export class CreatePipeline {
  constructor(
    private readonly configuration: Configuration,
    private readonly checks: NewPipelineChecks,
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
        const checked = await this.checks.check(reading, input, workspace, compile);
        const { connection, eventType, definition } = checked;
        const own = await load(reading, pipelineDecider, pipelineStream(input.id));
        const pipeline = {
          id: input.id,
          workspace,
          connection: connection.id,
          target: 'Event',
          eventType,
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
