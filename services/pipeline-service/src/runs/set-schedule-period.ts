import { type Nothing, type Recorded, Refusal } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { Handles, type RequestFor } from '../command-handling/handles';
import { existingPipeline } from '../pipelines/existing-pipeline';

/** Refuses to schedule a pipeline: all existing kinds of pipelines are fed by events, and none of them runs. */
@Controller()
export class SetSchedulePeriod {
  constructor(private readonly configuration: Configuration) {}

  @Handles('SetSchedulePeriod')
  handle(
    @Payload() { context, in: { id } }: RequestFor<'SetSchedulePeriod'>,
  ): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      await existingPipeline(reading, id, context);
      throw new Refusal('PipelineNotRunnable');
    });
  }
}
