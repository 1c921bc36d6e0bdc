import type { Commands, Request } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { SlowRequests } from '../command-handling/slow-requests';
import { Pipelines } from './pipelines';

type In<Name extends keyof Commands> = Request<Commands[Name]['in']>;

/** A function is compiled by running it, for up to its time limit: nobody else waits for it. */
const WITH_FUNCTION = {
  detached: ({ in: { transformation } }: In<'CreatePipeline' | 'UpdatePipeline'>): boolean =>
    transformation?.includes('"function":{') ?? false,
};

/** Commands about pipelines. */
@Controller()
export class PipelinesController {
  constructor(
    private readonly pipelines: Pipelines,
    private readonly slow: SlowRequests,
  ) {}

  @MessagePattern('CreatePipeline', WITH_FUNCTION)
  createPipeline(
    @Payload() request: In<'CreatePipeline'>,
    @Ctx() { deadlineMs }: LogRequestContext,
  ) {
    if (!WITH_FUNCTION.detached(request)) return this.pipelines.create(request);
    const command = { request, deadlineMs, line: 'commands' } as const;
    return this.slow.handle(command, (signal) => this.pipelines.create(request, signal));
  }

  @MessagePattern('UpdatePipeline', WITH_FUNCTION)
  updatePipeline(
    @Payload() request: In<'UpdatePipeline'>,
    @Ctx() { deadlineMs }: LogRequestContext,
  ) {
    if (!WITH_FUNCTION.detached(request)) return this.pipelines.update(request);
    const command = { request, deadlineMs, line: 'commands' } as const;
    return this.slow.handle(command, (signal) => this.pipelines.update(request, signal));
  }

  @MessagePattern('SetPipelineStatus')
  setPipelineStatus(@Payload() request: In<'SetPipelineStatus'>) {
    return this.pipelines.setStatus(request);
  }

  @MessagePattern('DeletePipeline')
  deletePipeline(@Payload() request: In<'DeletePipeline'>) {
    return this.pipelines.delete(request);
  }
}
