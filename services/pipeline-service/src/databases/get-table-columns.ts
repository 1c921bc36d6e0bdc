import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { excerptOf } from '../excerpts/excerpt-of';
import { DatabaseLooks } from './database-looks';

type Query = Queries['GetTableColumns'];

/** Lists the columns of a table or a view. */
@Controller()
export class GetTableColumns {
  constructor(
    private readonly looks: DatabaseLooks,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('GetTableColumns')
  handle(@Payload() request: RequestFor<'GetTableColumns'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, (until): Promise<Query['out']> =>
      this.looks.into(
        { ...context, connection: input.connection, mayBeDestination: true },
        until,
        async ({ database, settings }, call) => {
          const columns = await database.columns(input.name, settings, call);
          const { schema, issues } = await excerptOf(
            { ...columns, records: none() },
            NONE,
            call.signal,
          );
          return { schema, issues };
        },
      ),
    );
  }
}

const NONE = { limit: 0, withValues: false, tooLarge: 'BadRequest' } as const;

/** A table is looked at, not read. */
async function* none(): AsyncGenerator<never> {
  // There are no records.
}
