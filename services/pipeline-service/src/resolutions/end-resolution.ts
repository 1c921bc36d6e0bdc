import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { resolutionDecider } from '../domain/resolution.decide';
import { loadResolution } from '../live-resolutions/live-resolutions';

/** Records how a resolution ended, so that another one may start; repeated by its executor until it is answered. */
@Controller()
export class EndResolution {
  constructor(private readonly configuration: Configuration) {}

  @Handles('EndResolution')
  handle(@Payload() { context, in: { id, end } }: RequestFor<'EndResolution'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await loadResolution(reading, id);
      const facts = resolutionDecider.decide({ type: 'End', end }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
