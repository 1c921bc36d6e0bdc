import {
  instant,
  isRun,
  minutesOf,
  type Nothing,
  type Recorded,
  Refusal,
  type Schedule,
  type SchedulePeriod,
} from '@penstock/contracts';
import { randomInt } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { type RunControl, runControlDecider, runControlStream } from '../domain/run-control.decide';
import { existingPipeline } from '../pipelines/existing-pipeline';
import { unchangedStreams } from '../command-handling/unchanged-streams';

/** Sets how often a pipeline runs by itself. */
@Controller()
export class SetSchedulePeriod {
  constructor(private readonly configuration: Configuration) {}

  @Handles('SetSchedulePeriod')
  handle(
    @Payload() { context, in: { id, period } }: RequestFor<'SetSchedulePeriod'>,
  ): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const { pipeline, ...existing } = await existingPipeline(reading, id, context);
      if (!isRun(pipeline)) throw new Refusal('PipelineNotRunnable');
      const own = await load(reading, runControlDecider, runControlStream(id));
      const of = { id: pipeline.id, workspace: pipeline.workspace };
      const schedule = period === null ? null : scheduleOf(period, own.state);
      const command = { type: 'SetSchedule', of, schedule, now: instant(new Date()) } as const;
      return {
        streams: [appendTo(own, runControlDecider.decide(command, own.state))],
        reply: {},
        verify: unchangedStreams([existing]),
      };
    });
  }
}

/** The start is drawn once, so that the runs of an installation are spread; another period keeps it as far as it can. */
const scheduleOf = (period: SchedulePeriod, state: RunControl): Schedule => {
  const minutes = minutesOf(period);
  const start = state?.schedule?.start ?? randomInt(minutes);
  return { period, start: start % minutes };
};
