import { isImport, type PipelineState } from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
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
const clearCursor = async (reading: Reading<EntityManager>, id: string) => {
  const runs = await load(reading, runControlDecider, runControlStream(id));
  return { runs, facts: runControlDecider.decide({ type: 'ClearCursor' }, runs.state) };
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
        const changes = pipelineDecider.decide({ type: 'UpdatePipeline', definition }, own.state);
        const changesFormat = formatOf(pipeline) !== formatOf(members);
        const cleared = isReadAnew(pipeline, members) ? [await clearCursor(reading, id)] : [];
        // Without a cursor there is nothing to clear, but the one of a run that begins meanwhile would stay.
        const uncleared = cleared.flatMap(({ runs, facts }) => (facts.length === 0 ? [runs] : []));
        const unchanged = [...based, ...uncleared];
        return {
          streams: [
            appendTo(own, changes),
            ...cleared.map(({ runs, facts }) => appendTo(runs, facts)),
          ],
          reply: {},
          // What is verified in its transaction is recorded alone: only what needs it is.
          ...((unchanged.length > 0 || changesFormat) && {
            verify: async (db) => {
              await unchangedStreams(unchanged)(db);
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
