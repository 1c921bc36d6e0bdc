import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { runControlDecider, runControlStream } from '../domain/run-control.decide';

/** Records how a run ended, so that the pipeline may run again; repeated by its executor until it is answered. */
@Controller()
export class EndRun {
  constructor(private readonly configuration: Configuration) {}

  @Handles('EndRun')
  handle(@Payload() { context, in: { id, end } }: RequestFor<'EndRun'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, runControlDecider, runControlStream(id));
      const facts = runControlDecider.decide({ type: 'EndRun', end }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
