import { Connectors } from '@penstock/connectors';
import { isImport, type Recorded, Refusal } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { runControlDecider, runControlStream } from '../domain/run-control.decide';
import { canBeIncremental } from './can-be-incremental';
import { requestRun } from './request-run';

/** Requests a run that begins where an earlier one has begun. Its end does not move the cursor of the pipeline. */
@Controller()
export class ReplayRun {
  constructor(
    private readonly configuration: Configuration,
    private readonly connectors: Connectors,
  ) {}

  @Handles('ReplayRun')
  handle(
    @Payload() { context, in: { id, cursor } }: RequestFor<'ReplayRun'>,
  ): Promise<Recorded<{ readonly id: string }>> {
    return this.configuration.execute(context, async (reading) => {
      const runs = await load(reading, runControlDecider, runControlStream(id));
      const { state: pipeline } = await load(reading, pipelineDecider, pipelineStream(id));
      const owner = pipeline?.workspace ?? runs.state?.workspace;
      if (owner !== context.workspace) throw new Refusal('RunNotExist');
      if (pipeline === null || pipeline.deleted || !isImport(pipeline))
        throw new Refusal('PipelineNotRunnable');
      if (cursor !== null && !(await canBeIncremental(reading, this.connectors, pipeline)))
        throw new Refusal('IncrementalNotPossible');
      return requestRun(reading, context, pipeline, () => ({ trigger: 'Replay', cursor }));
    });
  }
}
