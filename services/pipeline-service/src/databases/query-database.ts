import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { excerptOf } from '../excerpts/excerpt-of';
import { DatabaseLooks } from './database-looks';

type Query = Queries['QueryDatabase'];

/** Reads the columns and the first rows of a query. */
@Controller()
export class QueryDatabase {
  constructor(
    private readonly looks: DatabaseLooks,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('QueryDatabase')
  handle(@Payload() request: RequestFor<'QueryDatabase'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    const { connection, query: text, limit } = input;
    return this.slow.handle(request, received, (until): Promise<Query['out']> =>
      this.looks.into(
        { ...context, connection, mayBeDestination: false },
        until,
        async ({ database, settings }, call) => {
          const values = { updatedAt: null, limit: BigInt(limit) };
          const rows = await database.query({ text, values }, settings, call);
          try {
            const wanted = { limit, withValues: true, tooLarge: 'InvalidQuery' } as const;
            const { records, schema, issues } = await excerptOf(rows, wanted, call.signal);
            return { rows: records, schema, issues };
          } finally {
            await rows.close();
          }
        },
      ),
    );
  }
}
