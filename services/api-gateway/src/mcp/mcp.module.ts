import { Module } from '@nestjs/common';
import { McpAnswers } from './mcp-answers';
import { McpController } from './mcp.controller';

/** The MCP server. */
@Module({ controllers: [McpController], providers: [McpAnswers] })
export class McpModule {}
