import { type Commands, type Recorded, Refusal, type Request } from '@penstock/contracts';
import type { Configuration } from '../command-handling/configuration';
import { existingPipeline } from '../pipelines/existing-pipeline';

/** Running pipelines. Every kind of pipeline that there is now is fed by events, and none of them runs. */
export class Runs {
  constructor(private readonly configuration: Configuration) {}

  setSchedule(
    request: Request<Commands['SetSchedulePeriod']['in']>,
  ): Promise<Recorded<Record<never, never>>> {
    return this.refuse(request);
  }

  run(request: Request<Commands['RunPipeline']['in']>): Promise<Recorded<{ readonly id: string }>> {
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
