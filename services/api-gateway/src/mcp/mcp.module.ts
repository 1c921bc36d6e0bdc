import { Module } from '@nestjs/common';
import { McpAnswers } from './mcp-answers';
import { McpServers } from './mcp-servers';
import { McpController } from './mcp.controller';

/** The MCP server. */
@Module({ controllers: [McpController], providers: [McpAnswers, McpServers] })
export class McpModule {}
