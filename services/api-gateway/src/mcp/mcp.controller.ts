import { Controller, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Needs } from '../auth/access';
import { ErrorFilter } from '../http/error.filter';
import { Metadata } from '../pipeline-service/metadata';
import type { RequestMetadata } from '../pipeline-service/pipeline-service';
import { McpAnswers } from './mcp-answers';
import { McpMessage } from './mcp-message';

/** The MCP server, over Streamable HTTP: each message is a request of its own, and its answer is JSON. */
@Controller('mcp')
@Needs('mcp')
export class McpController {
  constructor(
    private readonly answers: McpAnswers,
    private readonly errors: ErrorFilter,
  ) {}

  @Post()
  async handle(
    @Metadata() metadata: RequestMetadata,
    @McpMessage() message: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // Its packages take 30 MB and a third of a second, which nobody waits for who does not use them.
    const { McpServers } = await import('./mcp-servers');
    const servers = new McpServers(this.answers, this.errors);
    await servers.answer({ request, response, message }, metadata);
  }
}
