import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { ErrorFilter } from '../http/error.filter';
import type { RequestMetadata } from '../pipeline-service/pipeline-service';
import type { McpAnswers } from './mcp-answers';
import { toolResult } from './tool-result';

const INSTRUCTIONS =
  'Penstock collects events, resolves who has caused them, and keeps events, identities and profiles of persons in a data ' +
  'warehouse. Everything here can only be read. Begin with list_tables, then use query.';

/** Longer statements are no statements of a person or a model. */
const MAX_STATEMENT = 100_000;
const MAX_TEXT = 1_000;

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

const SOUGHT_PROFILE = {
  id: z.string().max(MAX_TEXT).optional().describe('Id of the profile, a UUID.'),
  property: z
    .string()
    .max(MAX_TEXT)
    .optional()
    .describe('Path of a property of the profile schema, such as email. With value, without id.'),
  value: z.string().max(MAX_TEXT).optional().describe('The value that the property has, as text.'),
};

const SOUGHT_PIPELINES = {
  search: z.string().min(1).max(MAX_TEXT).optional().describe('Text that the name contains.'),
  cursor: z
    .string()
    .max(MAX_TEXT)
    .optional()
    .describe('Where the list goes on: cursor of a former answer.'),
};

/** One for all servers: none of them has a schema to check answers by. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Answers each message by an MCP server of its own: nothing is kept, so that any gateway can answer the next one. */
export class McpServers {
  constructor(
    private readonly answers: McpAnswers,
    private readonly errors: ErrorFilter,
  ) {}

  /** @param metadata of the request, for whose caller the tools act. */
  async answer(
    { request, response, message }: { request: Request; response: Response; message: unknown },
    metadata: RequestMetadata,
  ): Promise<void> {
    const server = this.make(metadata);
    response.once('close', () => {
      void server.close();
    });
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    await transport.handleRequest(request, response, message);
  }

  private make(metadata: RequestMetadata): McpServer {
    const server = new McpServer(
      { name: 'penstock', version: '1.0.0' },
      { instructions: INSTRUCTIONS, jsonSchemaValidator },
    );
    this.addWarehouse(server, metadata);
    this.addPipelines(server, metadata);
    return server;
  }

  private addWarehouse(server: McpServer, metadata: RequestMetadata): void {
    server.registerTool(
      'list_tables',
      {
        title: 'List tables',
        description:
          'Lists the tables and views of the data warehouse that can be queried, with the names and types of their columns.',
        annotations: READ_ONLY,
      },
      () => this.result(() => this.answers.tables(metadata)),
    );
    server.registerTool(
      'query',
      {
        title: 'Query the data warehouse',
        description:
          'Executes one SQL statement that gives rows (SELECT or WITH, in the dialect of the warehouse: PostgreSQL or Snowflake) and returns ' +
          'its columns and rows. It can only read. It ends after 25 seconds. A result of more than about 700 kB is cut, which ' +
          'isCut tells: aggregate, or use LIMIT.',
        inputSchema: {
          statement: z.string().min(1).max(MAX_STATEMENT).describe('One SQL statement.'),
        },
        annotations: READ_ONLY,
      },
      ({ statement }) => this.result(() => this.answers.rows(statement, metadata)),
    );
    server.registerTool(
      'find_profile',
      {
        title: 'Find a profile',
        description:
          'Finds the profile of a person by its id, or by the value of a property, such as an email address; at most ten when ' +
          'several have it.',
        inputSchema: SOUGHT_PROFILE,
        annotations: READ_ONLY,
      },
      (sought) => this.result(() => this.answers.profile(sought, metadata)),
    );
  }

  private addPipelines(server: McpServer, metadata: RequestMetadata): void {
    server.registerTool(
      'list_pipelines',
      {
        title: 'List pipelines',
        description:
          'Lists the pipelines of the workspace, which import, store and send events and users, with their health: status, since ' +
          'when, why, and what to do about it.',
        inputSchema: SOUGHT_PIPELINES,
        annotations: READ_ONLY,
      },
      (sought) => this.result(() => this.answers.pipelines(sought, metadata)),
    );
  }

  private result(work: () => Promise<string> | string): Promise<CallToolResult> {
    return toolResult(work, (error) => this.errors.answerTo(error));
  }
}
