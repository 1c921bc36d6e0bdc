import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { pipelineDecider } from '../domain/pipeline.decide';
import { closeRuns } from '../live-runs/live-runs';
import { existingPipeline } from './existing-pipeline';

/** Deletes a pipeline, ends its schedule and cancels its run. */
@Controller()
export class DeletePipeline {
  constructor(private readonly configuration: Configuration) {}

  @Handles('DeletePipeline')
  handle(@Payload() { context, in: { id } }: RequestFor<'DeletePipeline'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await existingPipeline(reading, id, context);
      const facts = pipelineDecider.decide({ type: 'DeletePipeline' }, own.state);
      const closed = await closeRuns(reading, [id], context.actor);
      const streams = [...closed.streams, appendTo(own, facts)];
      return { streams, reply: {}, verify: closed.verify };
    });
  }
}
