import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Accesses } from './accesses';
import { EventTraces } from './event-traces';
import { StoreTurns } from './store-turns';

/** Shows what became of one event, with its values or masked. */
@Controller()
export class TraceEvent {
  constructor(
    private readonly traces: EventTraces,
    private readonly accesses: Accesses,
    private readonly turns: StoreTurns,
  ) {}

  /** An access to values is recorded before they are answered. */
  @Handles('TraceEvent')
  async handle(
    @Payload() request: RequestFor<'TraceEvent'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['TraceEvent']['out']> {
    const { workspace, actor, requestId } = request.context;
    const inTurn = <T>(read: () => Promise<T>): Promise<T> =>
      this.turns.take(request, context, read);
    const { signal } = context;
    const { view, accessed } = await this.traces.trace({
      wanted: request.in,
      workspace,
      inTurn,
      signal,
    });
    if (accessed !== null)
      await inTurn(() => this.accesses.record(workspace, { actor, requestId, delivery: accessed }));
    return view;
  }
}
