import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { FunctionRunner } from '@penstock/transformations';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import { unchangedStreams } from '../command-handling/unchanged-streams';
import { present } from '../connections/connection.checks';
import { pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { compilingOnce } from './compile-function';
import { noneWritesEvents, writesEvents } from './events-pipeline';
import { PipelineChecks } from './pipeline-checks';
import { UsedConnectors } from './used-connectors';

/** Creates a pipeline of any kind. */
@Controller()
export class CreatePipeline {
  constructor(
    private readonly configuration: Configuration,
    private readonly checks: PipelineChecks,
    private readonly used: UsedConnectors,
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
        const checked = await this.checks.ofNew(reading, input, workspace, compile);
        const { connection, members, based } = checked;
        const own = await load(reading, pipelineDecider, pipelineStream(input.id));
        const pipeline = {
          id: input.id,
          workspace,
          connection: connection.id,
          name: input.name,
          enabled: input.enabled ?? false,
          ...members,
        };
        const facts = pipelineDecider.decide({ type: 'CreatePipeline', pipeline }, own.state);
        return {
          streams: [appendTo(own, facts)],
          reply: { id: input.id },
          verify: async (db) => {
            await present(connection.id)(db);
            await unchangedStreams(based)(db);
            if (writesEvents(members)) await noneWritesEvents(connection.id)(db);
            await this.used.check(
              db,
              input.id,
              { connector: connection.connector, members },
              organization,
            );
            await this.limits.oneMore(db, 'pipelines', organization);
          },
        };
      });
    });
  }
}
