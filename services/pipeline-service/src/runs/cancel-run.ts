import { Refusal } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { runControlDecider, runControlStream } from '../domain/run-control.decide';

/** Requests the cancel of a run; one that has ended stays as it is. */
@Controller()
export class CancelRun {
  constructor(private readonly configuration: Configuration) {}

  @Handles('CancelRun')
  handle(@Payload() { context, in: { id, run } }: RequestFor<'CancelRun'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await load(reading, runControlDecider, runControlStream(id));
      if (own.state?.workspace !== context.workspace) throw new Refusal('RunNotExist');
      const cancel = { reason: 'Requested', actor: context.actor } as const;
      const command = { type: 'CancelRun', run, cancel } as const;
      return { streams: [appendTo(own, runControlDecider.decide(command, own.state))], reply: {} };
    });
  }
}
