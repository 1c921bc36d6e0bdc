import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { checkCursor, pageOf } from './list-page';
import { RunAnswers } from './run-answers';

const CURSOR = /^\d{1,9}$/;

/** Lists everything that has happened to a run, in order. */
@Controller()
export class ListRunFacts {
  constructor(private readonly answers: RunAnswers) {}

  @Handles('ListRunFacts')
  async handle(
    @Payload() request: RequestFor<'ListRunFacts'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListRunFacts']['out']> {
    const { limit, cursor } = request.in;
    checkCursor(cursor, CURSOR);
    const found = await this.answers.take(request, context, async (store) => {
      const { id } = await this.answers.existing(store, request);
      return store.factsOf(id, { limit: limit + 1, after: cursor });
    });
    const page = pageOf(found, limit, ({ place }) => place);
    return { facts: page.items.map(({ view }) => view), cursor: page.cursor };
  }
}
