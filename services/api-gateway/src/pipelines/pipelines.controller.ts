import { Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { AsOf, PipelineId, PipelineInput } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { type Json, type JsonObject, writeJson } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { AT } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { JsonBody } from '../validation/json-body';
import type { QueryParameters } from '../validation/page';
import { AskedAsOf } from '../validation/time-parameter';
import { pipelineId } from './pipeline-id';
import { pipelineJson } from './pipeline-json';
import { CreatePipelineDto, SetPipelineStatusDto, UpdatePipelineDto } from './pipeline.dto';
import { PIPELINES_QUERY, pipelinesQuery } from './pipelines-query';

@Tagged('Pipelines')
@Controller('v1/pipelines')
export class PipelinesController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('ListPipelines', 'List pipelines', { answer: 'PipelineList', query: PIPELINES_QUERY })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const { workspace } = metadata.caller;
    const list = await this.pipelineService.query(
      'ListPipelines',
      workspace,
      pipelinesQuery(query),
      metadata,
    );
    return jsonObject({ pipelines: list.pipelines.map(pipelineJson), cursor: list.cursor });
  }

  @Performs('CreatePipeline', 'Create pipeline', { answer: 'Created' })
  @Post()
  @HttpCode(200)
  async create(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(CreatePipelineDto) body: CreatePipelineDto,
  ): Promise<Json> {
    const id = newId() as PipelineId;
    const { connection, target, eventType } = body;
    const command = { id, connection, target, eventType, ...inputOf(body) };
    const created = await this.pipelineService.execute('CreatePipeline', id, command, metadata);
    return jsonObject({ id: created.id });
  }

  @Performs('GetPipeline', 'Get pipeline', { answer: 'Pipeline', query: [AT] })
  @Get(':id')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @AskedAsOf() asOf: AsOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const id = pipelineId(path);
    const view = await this.pipelineService.query('GetPipeline', id, { id, ...asOf }, metadata);
    setETag(response, view.version);
    return pipelineJson(view);
  }

  @Performs('UpdatePipeline', 'Update pipeline', {
    description:
      'An omitted filter, transformation or outSchema is cleared; an omitted enabled is kept.',
  })
  @Put(':id')
  async update(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @JsonBody(UpdatePipelineDto) body: UpdatePipelineDto,
  ): Promise<void> {
    const id = pipelineId(path);
    await this.pipelineService.execute('UpdatePipeline', id, { id, ...inputOf(body) }, metadata);
  }

  @Performs('SetPipelineStatus', 'Set pipeline status')
  @Put(':id/status')
  async setStatus(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @JsonBody(SetPipelineStatusDto) { enabled }: SetPipelineStatusDto,
  ): Promise<void> {
    const id = pipelineId(path);
    await this.pipelineService.execute('SetPipelineStatus', id, { id, enabled }, metadata);
  }

  @Performs('DeletePipeline', 'Delete pipeline')
  @Delete(':id')
  async delete(@Metadata() metadata: RequestMetadata, @Param('id') path: string): Promise<void> {
    const id = pipelineId(path);
    await this.pipelineService.execute('DeletePipeline', id, { id }, metadata);
  }
}

const inputOf = ({ name, enabled, ...body }: UpdatePipelineDto): PipelineInput => ({
  name,
  ...(enabled !== undefined && { enabled }),
  filter: textOf(body.filter),
  transformation: textOf(body.transformation),
  outSchema: textOf(body.outSchema),
});

const textOf = (json: JsonObject | null | undefined): string | null =>
  json === null || json === undefined ? null : writeJson(json);
