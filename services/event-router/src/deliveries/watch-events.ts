import type { Queries, WatchedEvents } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Accesses } from './accesses';
import { StoreTurns } from './store-turns';

/** What the access log names in place of a delivery, such as `live connection=01K8ZJ3YQ4T6M2XW`. */
const namesOf = ({ connection, pipeline }: WatchedEvents): string =>
  [
    'live',
    ...(connection === undefined ? [] : [`connection=${connection}`]),
    ...(pipeline === undefined ? [] : [`pipeline=${pipeline}`]),
  ].join(' ');

/** Records that live events are about to be shown with their values. */
@Controller()
export class WatchEvents {
  constructor(
    private readonly accesses: Accesses,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('WatchEvents')
  async handle(
    @Payload() request: RequestFor<'WatchEvents'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['WatchEvents']['out']> {
    const { workspace, actor, requestId } = request.context;
    const delivery = namesOf(request.in);
    await this.turns.take(request, context, () =>
      this.accesses.record(workspace, { actor, requestId, delivery }),
    );
    return {};
  }
}
