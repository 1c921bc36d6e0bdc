import type { Commands, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Runs } from './runs';

type In<Name extends keyof Commands> = Request<Commands[Name]['in']>;

/** Commands about runs. */
@Controller()
export class RunsController {
  constructor(private readonly runs: Runs) {}

  @MessagePattern('SetSchedulePeriod')
  setSchedulePeriod(@Payload() request: In<'SetSchedulePeriod'>) {
    return this.runs.setSchedule(request);
  }

  @MessagePattern('RunPipeline')
  runPipeline(@Payload() request: In<'RunPipeline'>) {
    return this.runs.run(request);
  }
}
