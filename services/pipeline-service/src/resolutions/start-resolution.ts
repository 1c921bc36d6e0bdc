import { Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { outcomeOf } from '../command-handling/outcome-of';
import { unchangedStreams } from '../command-handling/unchanged-streams';
import { resolutionDecider } from '../domain/resolution.decide';
import { loadResolution } from '../live-resolutions/live-resolutions';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { RepairLook } from './repair-look';
import { resolutionPermission } from './resolution-permission';
import { starting } from './starting';

/** Starts a resolution of the identities of a workspace at once, or refuses it. An executor performs it. */
@Controller()
export class StartResolution {
  constructor(
    private readonly configuration: Configuration,
    private readonly repairs: RepairLook,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('StartResolution')
  handle(@Payload() request: RequestFor<'StartResolution'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    const { workspace } = context;
    return this.slow.handle(request, received, async (signal) => {
      const looked = await outcomeOf(() => this.repairs.refuse(workspace, signal));
      return this.configuration.execute(context, async (reading) => {
        await existingWarehouse(reading, { workspace });
        const { hindrance, streams } = await resolutionPermission(reading, workspace);
        if (hindrance !== undefined) throw new Refusal(hindrance);
        looked();
        const own = await loadResolution(reading, workspace);
        const wanted = { trigger: 'API', full: input.full } as const;
        const facts = resolutionDecider.decide(
          { type: 'Start', id: workspace, wanted, ...starting(context.actor) },
          own.state,
        );
        return { streams: [appendTo(own, facts)], reply: {}, verify: unchangedStreams(streams) };
      });
    });
  }
}
