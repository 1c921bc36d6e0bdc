import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { runControlDecider, runControlStream } from '../domain/run-control.decide';

/** Records that a run waits, or waits no more, for the health of its pipeline. */
@Controller()
export class NoteRunWait {
  constructor(private readonly configuration: Configuration) {}

  @Handles('NoteRunWait')
  handle(@Payload() { context, in: { id, run, since } }: RequestFor<'NoteRunWait'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, runControlDecider, runControlStream(id));
      const facts = runControlDecider.decide({ type: 'NoteWait', run, since }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
