import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Runs } from './runs';

/** Commands about runs. */
@Controller()
export class RunsController {
  constructor(private readonly runs: Runs) {}

  @Handles('SetSchedulePeriod')
  setSchedulePeriod(@Payload() request: RequestFor<'SetSchedulePeriod'>) {
    return this.runs.setSchedule(request);
  }

  @Handles('RunPipeline')
  runPipeline(@Payload() request: RequestFor<'RunPipeline'>) {
    return this.runs.run(request);
  }
}
