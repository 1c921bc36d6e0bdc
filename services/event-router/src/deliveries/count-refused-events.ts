import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { RefusedEventsTable } from '../refused/refused-events-table';
import { StoreTurns } from './store-turns';

/** Counts events that were refused. */
@Controller()
export class CountRefusedEvents {
  constructor(
    private readonly table: RefusedEventsTable,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('CountRefusedEvents')
  async handle(
    @Payload() request: RequestFor<'CountRefusedEvents'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['CountRefusedEvents']['out']> {
    const counts = await this.turns.take(request, context, () =>
      this.table.counts(request.context.workspace, request.in),
    );
    return { counts };
  }
}
