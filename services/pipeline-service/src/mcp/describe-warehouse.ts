import type { Queries, RequestContext } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { withinDeadline } from '../deadline/within-deadline';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';
import { McpReads } from './mcp-reads';

/** Lists the tables and views that the user of the MCP server may read. */
@Controller()
export class DescribeWarehouse {
  constructor(
    private readonly reads: McpReads,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('DescribeWarehouse')
  handle(@Payload() request: RequestFor<'DescribeWarehouse'>, @Ctx() received: LogRequestContext) {
    return this.slow.handle(request, received, (until) =>
      withinDeadline((signal) => this.describe(request.context, signal), until),
    );
  }

  private async describe(
    context: RequestContext,
    signal: AbortSignal,
  ): Promise<Queries['DescribeWarehouse']['out']> {
    const { tables, isCut } = await this.reads.in(context, signal, (reader) =>
      reader.readableTables(),
    );
    const { items, rest } = fitting(tables, (table) => table, MAX_SEALED_BYTES);
    return { tables: items, isCut: isCut || rest !== undefined };
  }
}
