import { type Nothing, type Recorded, Refusal, type Request } from '@penstock/contracts';
import { Injectable } from '@nestjs/common';
import { Configuration } from '../command-handling/configuration';
import type { RequestFor } from '../command-handling/handles';
import { existingPipeline } from '../pipelines/existing-pipeline';

/** Running pipelines. Every kind of pipeline that there is now is fed by events, and none of them runs. */
@Injectable()
export class Runs {
  constructor(private readonly configuration: Configuration) {}

  setSchedule(request: RequestFor<'SetSchedulePeriod'>): Promise<Recorded<Nothing>> {
    return this.refuse(request);
  }

  run(request: RequestFor<'RunPipeline'>): Promise<Recorded<{ readonly id: string }>> {
    return this.refuse(request);
  }

  private refuse<Out extends object>({
    context,
    in: { id },
  }: Request<{ readonly id: string }>): Promise<Recorded<Out>> {
    return this.configuration.execute<Out>(context, async (reading) => {
      await existingPipeline(reading, id, context);
      throw new Refusal('PipelineNotRunnable');
    });
  }
}
