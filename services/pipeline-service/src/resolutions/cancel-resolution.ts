import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { resolutionDecider } from '../domain/resolution.decide';
import { loadResolution } from '../live-resolutions/live-resolutions';

/** Requests the cancel of the live resolution of a workspace. */
@Controller()
export class CancelResolution {
  constructor(private readonly configuration: Configuration) {}

  @Handles('CancelResolution')
  handle(@Payload() { context }: RequestFor<'CancelResolution'>) {
    const { workspace } = context;
    return this.configuration.execute(context, async (reading) => {
      const own = await loadResolution(reading, workspace);
      const facts = resolutionDecider.decide({ type: 'Cancel' }, own.state);
      return {
        streams: [appendTo(own, facts)],
        reply: {},
        verify: (db) => notDeleted(db, workspace),
      };
    });
  }
}
