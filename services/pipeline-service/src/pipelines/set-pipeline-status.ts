import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { pipelineDecider } from '../domain/pipeline.decide';
import { existingPipeline } from './existing-pipeline';

/** Enables or disables a pipeline. */
@Controller()
export class SetPipelineStatus {
  constructor(private readonly configuration: Configuration) {}

  @Handles('SetPipelineStatus')
  handle(@Payload() { context, in: { id, enabled } }: RequestFor<'SetPipelineStatus'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await existingPipeline(reading, id, context);
      const facts = pipelineDecider.decide({ type: 'SetPipelineStatus', enabled }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
