import { Controller, Delete, Get, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import type { Instant, PipelineId, PipelineView, RunsView } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { type Json, type JsonObject, parseJson } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import { jsonObject } from '../http/json-object';
import { JsonText, objectText } from '../http/json-text';
import { Performs, Tagged } from '../openapi/schema/describe';
import { FLAG } from '../openapi/schema/json-schema';
import { Example } from '../openapi/schema/members';
import { only, PAGE, SEARCH } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { RepeatablePost } from '../retries/repeatable-post';
import { type Answered, JsonBody } from '../validation/json-body';
import { flagParameter, parameter, type QueryParameters, searchOf } from '../validation/page';
import {
  checkUnchanged,
  type Replacement,
  ReplacingBody,
  SENT_BACK,
} from '../validation/replacing-body';
import { IsBoolean } from '../validation/shape';
import { AsOfTime } from '../validation/time-parameter';
import { pipelineId } from './pipeline-id';
import { pipelineText } from './pipeline-text';
import { CreatePipelineDto, inputOf, UpdatePipelineDto } from './pipeline.dto';

const PIPELINES_QUERY = [only('connection'), only('enabled', FLAG), SEARCH, ...PAGE];

/** Reads the query of a list of pipelines. @throws Refusal BadRequest */
const pipelinesQuery = (query: QueryParameters) => {
  const connection = parameter(query, 'connection');
  const enabled = flagParameter(query, 'enabled');
  return {
    ...searchOf(query),
    ...(connection !== undefined && { connection }),
    ...(enabled !== undefined && { enabled }),
  };
};

const ANSWERED: Answered = {
  component: 'Pipeline',
  unchanged: [
    'id',
    'connector',
    'connectorType',
    'connection',
    'connectionRole',
    'target',
    'eventType',
    'schedulePeriod',
    'scheduleStart',
  ] satisfies (keyof PipelineView | keyof RunsView)[],
  ignored: ['health', 'version', 'running', 'nextRun'],
};

/** Which members a body has. */
const KINDS =
  'Connection and target decide the kind. On a destination with target Event: eventType, filter, transformation, outSchema. On a source of ' +
  'events with target Event, which writes them into the warehouse, once for each source: filter; with target User, which ' +
  'writes the identities in them: filter, transformation, outSchema. Imports of users (target User) from an application: filter, transformation, inSchema, outSchema, incremental; from a database: query, ' +
  'userIDColumn, updatedAtColumn, updatedAtFormat, missingColumns, incremental, transformation, inSchema, outSchema; from files: the same ' +
  'without query, and filter, format, path, sheet, compression, formatSettings. Exports of profiles (target User on a ' +
  'destination) to an application: exportMode, matching, updateOnDuplicates, filter, transformation, inSchema, outSchema; ' +
  'to a database: tableName, tableKey, filter, transformation, inSchema, outSchema; to files: format, path, ' +
  'sheet, compression, formatSettings, orderBy, filter, inSchema. Other members are refused unless null.';

const jsonOf = (text: string): JsonObject => parseJson(text) as JsonObject;

@Example({ enabled: true })
export class SetPipelineStatusDto {
  @IsBoolean() readonly enabled!: boolean;
}

@Tagged('Pipelines')
@Controller('v1/pipelines')
export class PipelinesController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('ListPipelines', 'List pipelines', { answer: 'PipelineList', query: PIPELINES_QUERY })
  @Get()
  list(@Metadata() { caller }: RequestMetadata, @Query() query: QueryParameters): JsonText {
    const list = this.reads.get('ListPipelines', pipelinesQuery(query), caller);
    const pipelines = list.pipelines.map(pipelineText).join(',');
    const cursor = JSON.stringify(list.cursor);
    return new JsonText(objectText({ pipelines: `[${pipelines}]`, cursor }));
  }

  @Performs('CreatePipeline', 'Create pipeline', { answer: 'Created', description: KINDS })
  @RepeatablePost()
  @HttpCode(200)
  async create(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(CreatePipelineDto) body: CreatePipelineDto,
  ): Promise<Json> {
    const id = newId() as PipelineId;
    const { connection, target, eventType = null } = body;
    const command = { id, connection, target, eventType, ...inputOf(body) };
    const created = await this.pipelineService.execute('CreatePipeline', id, command, metadata);
    return jsonObject({ id: created.id });
  }

  @Performs('GetPipeline', 'Get pipeline', {
    answer: 'Pipeline',
    asOf: 'GetPipelineAsOf',
  })
  @Get(':id')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @AsOfTime() at: Instant | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JsonText> {
    const id = pipelineId(path);
    const view =
      at === undefined
        ? this.reads.get('GetPipeline', { id }, metadata.caller)
        : await this.pipelineService.query('GetPipelineAsOf', id, { id, at }, metadata);
    setETag(response, view.version);
    return new JsonText(pipelineText(view));
  }

  @Performs('UpdatePipeline', 'Update pipeline', {
    description: `An omitted enabled is kept, every other omitted member is cleared. ${SENT_BACK} ${KINDS}`,
  })
  @Put(':id')
  async update(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @ReplacingBody(UpdatePipelineDto, ANSWERED) { body, sentBack }: Replacement<UpdatePipelineDto>,
  ): Promise<void> {
    const id = pipelineId(path);
    const view = (): PipelineView => this.reads.get('GetPipeline', { id }, metadata.caller);
    const { inSchema = null } = body;
    const isFixed = inSchema !== null && (view().imports ?? view().exports) === undefined;
    checkUnchanged(
      isFixed ? new Map([...sentBack, ['inSchema', inSchema]]) : sentBack,
      metadata.expectedVersion,
      () => ({ version: view().version, json: jsonOf(pipelineText(view())) }),
    );
    const input = inputOf(body);
    const { inSchema: _, ...others } = input;
    const command = { id, ...(isFixed ? others : input) };
    await this.pipelineService.execute('UpdatePipeline', id, command, metadata);
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
