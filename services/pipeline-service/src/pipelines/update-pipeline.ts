import { isImport, type PipelineState } from '@penstock/contracts';
import type { Reading, StreamAppend } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { FunctionRunner } from '@penstock/transformations';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { unchangedStreams } from '../command-handling/unchanged-streams';
import { clearsCursor } from '../domain/clears-cursor';
import { pipelineDecider } from '../domain/pipeline.decide';
import { runControlDecider, runControlStream } from '../domain/run-control.decide';
import { compilingOnce } from './compile-function';
import { existingPipeline } from './existing-pipeline';
import { type CheckedMembers, PipelineChecks } from './pipeline-checks';
import { readTransformation } from './read-transformation';
import { formatOf, UsedConnectors } from './used-connectors';

const isReadAnew = (before: PipelineState, after: CheckedMembers): boolean =>
  isImport(before) && after.imports !== undefined && clearsCursor(before, after);

/** Makes the next run of the pipeline a full one. */
const clearCursor = async (reading: Reading<EntityManager>, id: string): Promise<StreamAppend> => {
  const runs = await load(reading, runControlDecider, runControlStream(id));
  return appendTo(runs, runControlDecider.decide({ type: 'ClearCursor' }, runs.state));
};

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
        const { connection, members, based } = await this.checks.ofUpdate(
          reading,
          input,
          submitted,
          pipeline,
          compile,
        );
        const { target: _, eventType: _eventType, ...rest } = members;
        const definition = { name, ...rest, ...(enabled !== undefined && { enabled }) };
        const facts = pipelineDecider.decide({ type: 'UpdatePipeline', definition }, own.state);
        const changesFormat = formatOf(pipeline) !== formatOf(members);
        const cleared = isReadAnew(pipeline, members) ? [await clearCursor(reading, id)] : [];
        return {
          streams: [appendTo(own, facts), ...cleared],
          reply: {},
          // What is verified in its transaction is recorded alone: only what needs it is.
          ...((based.length > 0 || changesFormat) && {
            verify: async (db) => {
              await unchangedStreams(based)(db);
              const { connector } = connection;
              if (changesFormat)
                await this.used.check(db, pipeline.id, { connector, members }, organization);
            },
          }),
        };
      });
    });
  }
}
