import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { erasureDecider, erasureStream } from '../domain/erasure.decide';

/** Records that a person was erased, and the counts of what was; repeated by the executor until it is answered. */
@Controller()
export class EndErasure {
  constructor(private readonly configuration: Configuration) {}

  @Handles('EndErasure')
  handle(@Payload() { context, in: { id, end } }: RequestFor<'EndErasure'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, erasureDecider, erasureStream(id));
      const facts = erasureDecider.decide({ type: 'End', end }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
