import type { Queries, RequestContext } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { withinDeadline } from '../deadline/within-deadline';
import { MAX_SEALED_BYTES } from '../read-model/fitting';
import { McpReads } from './mcp-reads';
import { statementAnswer } from './statement-answer';

type Query = Queries['QueryWarehouse'];

/** Executes a statement of a client of the MCP server. */
@Controller()
export class QueryWarehouse {
  constructor(
    private readonly reads: McpReads,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('QueryWarehouse')
  handle(@Payload() request: RequestFor<'QueryWarehouse'>, @Ctx() received: LogRequestContext) {
    const { context, in: input } = request;
    return this.slow.handle(request, received, (until) =>
      withinDeadline((signal) => this.query(context, input, signal), until),
    );
  }

  private async query(
    context: RequestContext,
    { statement: text }: Query['in'],
    signal: AbortSignal,
  ): Promise<Query['out']> {
    const wanted = { text, maxBytes: MAX_SEALED_BYTES };
    return statementAnswer(
      await this.reads.in(context, signal, (reader) => reader.readStatement(wanted)),
    );
  }
}
