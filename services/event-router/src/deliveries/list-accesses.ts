import { type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Accesses } from './accesses';
import { StoreTurns } from './store-turns';

/** @throws Refusal BadRequest for a text that is not a cursor of the list. */
const numberIn = (cursor: string): string | undefined => {
  if (cursor === '') return undefined;
  if (/^\d{1,15}$/.test(cursor)) return cursor;
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};

/** Lists who has seen values of deliveries. */
@Controller()
export class ListAccesses {
  constructor(
    private readonly accesses: Accesses,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('ListAccesses')
  async handle(
    @Payload() request: RequestFor<'ListAccesses'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListAccesses']['out']> {
    const { limit, cursor } = request.in;
    const before = numberIn(cursor);
    const found = await this.turns.take(request, context, () =>
      this.accesses.list(request.context.workspace, limit + 1, before),
    );
    const page = found.slice(0, limit);
    return {
      accesses: page.map(({ number: _, ...access }) => access),
      cursor: page.length < found.length ? (page.at(-1)?.number ?? '') : '',
    };
  }
}
