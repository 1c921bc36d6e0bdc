import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { checkCursor, pageOf } from './list-page';
import { RunAnswers } from './run-answers';

const CURSOR = /^\d-\d{1,15}-\d{1,15}$/;

/** Lists why records of a run failed, by step, the most frequent first. */
@Controller()
export class ListRunErrors {
  constructor(private readonly answers: RunAnswers) {}

  @Handles('ListRunErrors')
  async handle(
    @Payload() request: RequestFor<'ListRunErrors'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListRunErrors']['out']> {
    const { limit, cursor } = request.in;
    checkCursor(cursor, CURSOR);
    const found = await this.answers.take(request, context, async (store) => {
      const { id } = await this.answers.existing(store, request);
      return store.errorsOf(id, { limit: limit + 1, after: cursor });
    });
    const page = pageOf(found, limit, ({ place }) => place);
    return { errors: page.items.map(({ view }) => view), cursor: page.cursor };
  }
}
