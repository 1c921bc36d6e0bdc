import { Controller, Get, HttpCode, Param, Query } from '@nestjs/common';
import { type Json, JsonNumber, parseJson } from '@penstock/schema';
import { connectionId } from '../connections/connection-id';
import { jsonObject } from '../http/json-object';
import { malformed } from '../http/read-json';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Example } from '../openapi/schema/members';
import { TABLE_NAME } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { PipelineService, type RequestMetadata } from '../pipeline-service/pipeline-service';
import { RepeatablePost } from '../retries/repeatable-post';
import { JsonBody } from '../validation/json-body';
import { parameter, type QueryParameters } from '../validation/page';
import { Characters, IsInteger, Optional } from '../validation/shape';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100;
const MAX_QUERY_LENGTH = 10_000;
/** Upper bound for the length of names; servers have lower ones. */
const MAX_NAME_LENGTH = 1_024;
/** NUL, or half a character. */
const UNCLEAN = /[\0\ud800-\udfff]/u;

/** Checks the shape only. The server of the database checks the query. */
@Example({
  query:
    'SELECT id, email, updated_at FROM customers WHERE updated_at >= ${updated_at} LIMIT ${limit}',
  limit: 20,
})
export class QueryDatabaseDto {
  @Characters(1, MAX_QUERY_LENGTH) readonly query!: string;

  @Optional() @IsInteger(0, MAX_LIMIT) readonly limit?: JsonNumber;
}

/** Reads the name of a table. @throws Refusal BadRequest */
const tableIn = (query: QueryParameters): string => {
  const name = parameter(query, 'name') ?? '';
  if (name === '') throw malformed('/name', 'is required');
  if (name.length > MAX_NAME_LENGTH || UNCLEAN.test(name))
    throw malformed(
      '/name',
      `must be 1 to ${String(MAX_NAME_LENGTH)} characters long, without NUL`,
    );
  return name;
};

/** Looks into the database behind a connection. */
@Tagged('Databases')
@Controller('v1/connections/:id')
export class DatabasesController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('QueryDatabase', 'Query database', {
    description:
      'The columns of a query, and its first rows. The query is one statement, and is run in a read-only transaction; ' +
      'in it, `${updated_at}` is `NULL` and `${limit}` is `limit`. What is left out is named in `issues`: columns ' +
      'without a type to go with them, and rows with an error.',
    answer: 'QueryExcerpt',
  })
  @RepeatablePost('query')
  @HttpCode(200)
  async query(
    @Metadata() metadata: RequestMetadata,
    @Param('id') id: string,
    @JsonBody(QueryDatabaseDto) body: QueryDatabaseDto,
  ): Promise<Json> {
    const connection = connectionId(id);
    const limit = body.limit === undefined ? DEFAULT_LIMIT : Number(body.limit.text);
    const input = { connection, query: body.query, limit };
    const { rows, schema, issues } = await this.pipelineService.query(
      'QueryDatabase',
      connection,
      input,
      metadata,
    );
    return jsonObject({
      rows: rows.map((row) => parseJson(row)),
      schema: parseJson(schema),
      issues,
    });
  }

  @Performs('GetTableColumns', 'Get columns of a table', {
    description:
      'The columns of a table or a view. `createRequired` marks those without which no row can be added.',
    answer: 'TableExcerpt',
    query: [TABLE_NAME],
  })
  @Get('tables')
  async columns(
    @Metadata() metadata: RequestMetadata,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const name = tableIn(query);
    const connection = connectionId(id);
    const { schema, issues } = await this.pipelineService.query(
      'GetTableColumns',
      connection,
      { connection, name },
      metadata,
    );
    return jsonObject({ schema: parseJson(schema), issues });
  }
}
