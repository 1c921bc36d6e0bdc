import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { SlowRequests } from '../command-handling/slow-requests';
import { Pipelines } from './pipelines';

/** Commands about pipelines. */
@Controller()
export class PipelinesController {
  constructor(
    private readonly pipelines: Pipelines,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('CreatePipeline')
  createPipeline(
    @Payload() request: RequestFor<'CreatePipeline'>,
    @Ctx() context: LogRequestContext,
  ) {
    return this.slow.handle(request, context, (signal) => this.pipelines.create(request, signal));
  }

  @Handles('UpdatePipeline')
  updatePipeline(
    @Payload() request: RequestFor<'UpdatePipeline'>,
    @Ctx() context: LogRequestContext,
  ) {
    return this.slow.handle(request, context, (signal) => this.pipelines.update(request, signal));
  }

  @Handles('SetPipelineStatus')
  setPipelineStatus(@Payload() request: RequestFor<'SetPipelineStatus'>) {
    return this.pipelines.setStatus(request);
  }

  @Handles('DeletePipeline')
  deletePipeline(@Payload() request: RequestFor<'DeletePipeline'>) {
    return this.pipelines.delete(request);
  }
}
