import type { RefusalCode } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { unchangedStreams } from '../command-handling/unchanged-streams';
import { resolutionDecider } from '../domain/resolution.decide';
import { loadResolution } from '../live-resolutions/live-resolutions';
import { resolutionPermission } from './resolution-permission';
import { starting } from './starting';

/** What does not pass: there is nothing to be resolved, now or later. */
const FINAL: readonly (RefusalCode | undefined)[] = [
  'WorkspaceNotExist',
  'InvalidWarehouseSettings',
];

/** Starts a resolution if one may start now, and keeps what asks for it if not. */
@Controller()
export class TriggerResolution {
  constructor(private readonly configuration: Configuration) {}

  @Handles('TriggerResolution')
  handle(@Payload() { context, in: { id, trigger, full } }: RequestFor<'TriggerResolution'>) {
    return this.configuration.execute(context, async (reading) => {
      const { hindrance, streams } = await resolutionPermission(reading, id);
      if (FINAL.includes(hindrance)) return { streams: [], reply: {} };
      const own = await loadResolution(reading, id);
      const wanted = { trigger, full };
      const isFree = hindrance === undefined && !own.state?.live;
      const facts = resolutionDecider.decide(
        isFree
          ? { type: 'Start', id, wanted, ...starting('system') }
          : { type: 'Trigger', id, wanted },
        own.state,
      );
      return { streams: [appendTo(own, facts)], reply: {}, verify: unchangedStreams(streams) };
    });
  }
}
