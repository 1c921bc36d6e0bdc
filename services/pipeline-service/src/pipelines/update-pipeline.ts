import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { FunctionRunner } from '@penstock/transformations';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { clearsCursor } from '../domain/clears-cursor';
import { pipelineDecider } from '../domain/pipeline.decide';
import { runControlDecider, runControlStream } from '../domain/run-control.decide';
import { compilingOnce } from './compile-function';
import { existingPipeline } from './existing-pipeline';
import { PipelineChecks } from './pipeline-checks';
import { readTransformation } from './read-transformation';
import { UsedConnectors } from './used-connectors';

/** Replaces the definition of a pipeline; its connection, target and event type stay. */
@Controller()
export class UpdatePipeline {
  constructor(
    private readonly configuration: Configuration,
    private readonly checks: PipelineChecks,
    private readonly used: UsedConnectors,
    private readonly functions: FunctionRunner,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('UpdatePipeline')
  handle(@Payload() request: RequestFor<'UpdatePipeline'>, @Ctx() received: LogRequestContext) {
    const { context } = request;
    const { id, ...input } = request.in;
    const { name, enabled } = input;
    const { workspace, organization } = context;
    return this.slow.handle(request, received, (signal) => {
      const compile = compilingOnce(this.functions, { workspace, signal });
      return this.configuration.execute(context, async (reading) => {
        const submitted = readTransformation(input.transformation);
        const own = await existingPipeline(reading, id, context);
        const { pipeline } = own;
        const { connection, members } = await this.checks.ofUpdate(
          reading,
          input,
          submitted,
          pipeline,
          compile,
        );
        const { target: _, eventType: _eventType, ...rest } = members;
        const definition = { name, ...rest, ...(enabled !== undefined && { enabled }) };
        const facts = pipelineDecider.decide({ type: 'UpdatePipeline', definition }, own.state);
        const runs = await load(reading, runControlDecider, runControlStream(id));
        const clears =
          pipeline.target === 'User' &&
          members.target === 'User' &&
          clearsCursor(pipeline, members);
        const cleared = clears ? runControlDecider.decide({ type: 'ClearCursor' }, runs.state) : [];
        return {
          streams: [appendTo(own, facts), appendTo(runs, cleared)],
          reply: {},
          verify: async (db) => {
            const { connector } = connection;
            if (members.imports?.source.kind === 'file')
              await this.used.check(db, pipeline.id, { connector, members }, organization);
          },
        };
      });
    });
  }
}
