import type { Commands } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import type { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { outcomeOf } from '../command-handling/outcome-of';
import { Repairs } from './repairs';

type Repaired = Commands['RepairWarehouse']['out'];

/** Creates the missing objects of a warehouse and records their names. */
@Controller()
export class RepairWarehouse {
  constructor(
    private readonly configuration: Configuration,
    private readonly store: EventStore<EntityManager>,
    private readonly repairs: Repairs,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('RepairWarehouse')
  handle(@Payload() request: RequestFor<'RepairWarehouse'>, @Ctx() received: LogRequestContext) {
    const { context } = request;
    return this.slow.handle(request, received, async (signal) => {
      // One that was executed is not performed again.
      const isKnown = (await this.store.replyTo(context.commandId)) !== undefined;
      const repaired = await outcomeOf(async () => {
        if (!isKnown) await this.repairs.repair(context, signal);
      });
      return this.configuration.execute<Repaired>(context, () => {
        repaired();
        return Promise.resolve({
          streams: [],
          reply: {},
          verify: (db) => notDeleted(db, context.workspace),
        });
      });
    });
  }
}
