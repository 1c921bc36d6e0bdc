import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { checkCursor, pageOf } from './list-page';
import { RunAnswers } from './run-answers';

const CURSOR = /^[A-Za-z0-9_-]{12,26}$/;

/** Lists the runs of a workspace, newest first. */
@Controller()
export class ListRuns {
  constructor(private readonly answers: RunAnswers) {}

  @Handles('ListRuns')
  async handle(
    @Payload() request: RequestFor<'ListRuns'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListRuns']['out']> {
    const { limit, cursor, ...wanted } = request.in;
    checkCursor(cursor, CURSOR);
    const found = await this.answers.take(request, context, (store) =>
      store.list(request.context.workspace, wanted, { limit: limit + 1, after: cursor }),
    );
    const page = pageOf(found, limit, ({ id }) => id);
    return { runs: page.items, cursor: page.cursor };
  }
}
