import { Connectors } from '@penstock/connectors';
import { isImport, type Recorded, Refusal } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { Handles, type RequestFor } from '../command-handling/handles';
import { existingPipeline } from '../pipelines/existing-pipeline';
import { canBeIncremental } from './can-be-incremental';
import { requestRun } from './request-run';

/** Requests a run of a pipeline that imports users. An executor performs it. */
@Controller()
export class RunPipeline {
  constructor(
    private readonly configuration: Configuration,
    private readonly connectors: Connectors,
  ) {}

  @Handles('RunPipeline')
  handle(
    @Payload() { context, in: { id, incremental } }: RequestFor<'RunPipeline'>,
  ): Promise<Recorded<{ readonly id: string }>> {
    return this.configuration.execute(context, async (reading) => {
      const { pipeline } = await existingPipeline(reading, id, context);
      if (!isImport(pipeline)) throw new Refusal('PipelineNotRunnable');
      const isIncremental = incremental ?? pipeline.imports.incremental;
      if (incremental === true && !(await canBeIncremental(reading, this.connectors, pipeline)))
        throw new Refusal('IncrementalNotPossible');
      return requestRun(reading, context, pipeline, (state) => ({
        trigger: 'API',
        cursor: isIncremental ? (state?.cursor ?? null) : null,
      }));
    });
  }
}
