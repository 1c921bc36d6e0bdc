import { Controller, Post, Req, Res } from '@nestjs/common';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Request, Response } from 'express';
import { Needs } from '../auth/access';
import { Metadata } from '../pipeline-service/metadata';
import type { RequestMetadata } from '../pipeline-service/pipeline-service';
import { McpMessage } from './mcp-message';
import { McpServers } from './mcp-servers';

/** The MCP server, over Streamable HTTP: each message is a request of its own, and its answer is JSON. */
@Controller('mcp')
@Needs('mcp')
export class McpController {
  constructor(private readonly servers: McpServers) {}

  @Post()
  async handle(
    @Metadata() metadata: RequestMetadata,
    @McpMessage() message: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const server = this.servers.make(metadata);
    response.once('close', () => {
      void server.close();
    });
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    await transport.handleRequest(request, response, message);
  }
}
