import { Controller, Get, Param, Query } from '@nestjs/common';
import { type Json, parseJson } from '@penstock/schema';
import { includes } from '../auth/access';
import { connectionId } from '../connections/connection-id';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { PipelineService, type RequestMetadata } from '../pipeline-service/pipeline-service';
import type { QueryParameters } from '../validation/page';
import { EXCERPT_QUERY, excerptIn, FILE_QUERY, fileIn, PATH_QUERY, pathIn } from './files-query';

/** Looks into the files of the storage behind a connection. */
@Tagged('Files')
@Controller('v1/connections/:id/files')
export class FilesController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('ReadFile', 'Read file', {
    description:
      'The columns of a file, and its first records. What is left out is named in `issues`: columns that cannot be read, ' +
      'and records with an error. A key of scope `read` sees all values masked.',
    answer: 'FileExcerpt',
    query: [...EXCERPT_QUERY],
  })
  @Get()
  async read(
    @Metadata() metadata: RequestMetadata,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const wanted = excerptIn(query);
    const connection = connectionId(id);
    const withValues = includes(metadata.caller.scope, 'write');
    const input = { connection, ...wanted, withValues };
    const { records, schema, issues } = await this.pipelineService.query(
      'ReadFile',
      connection,
      input,
      metadata,
    );
    return jsonObject({
      records: records.map((record) => parseJson(record)),
      schema: parseJson(schema),
      issues,
    });
  }

  @Performs('ListSheets', 'List sheets of a file', {
    answer: 'SheetList',
    query: [...FILE_QUERY],
  })
  @Get('sheets')
  async sheets(
    @Metadata() metadata: RequestMetadata,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const wanted = fileIn(query);
    const connection = connectionId(id);
    const input = { connection, ...wanted };
    const { sheets } = await this.pipelineService.query('ListSheets', connection, input, metadata);
    return jsonObject({ sheets });
  }

  @Performs('GetAbsolutePath', 'Get absolute path of a file', {
    description: 'Where a path of the storage leads. Whether there is a file is not looked at.',
    answer: 'AbsolutePath',
    query: [...PATH_QUERY],
  })
  @Get('absolute')
  async absolutePath(
    @Metadata() metadata: RequestMetadata,
    @Param('id') id: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const path = pathIn(query);
    const connection = connectionId(id);
    const input = { connection, path };
    const answer = await this.pipelineService.query('GetAbsolutePath', connection, input, metadata);
    return jsonObject({ path: answer.path });
  }
}
