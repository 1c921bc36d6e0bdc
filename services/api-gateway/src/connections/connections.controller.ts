import { Controller, Delete, Get, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import type { ConnectionId, Instant } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { Json } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import { jsonObject } from '../http/json-object';
import { malformed } from '../http/read-json';
import type { ConnectionMember } from '../openapi/components/connections';
import { Performs, Tagged } from '../openapi/schema/describe';
import { PAGE, SEARCH } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { type Answered, JsonBody } from '../validation/json-body';
import { type QueryParameters, searchOf } from '../validation/page';
import {
  checkUnchanged,
  type Replacement,
  ReplacingBody,
  SENT_BACK,
} from '../validation/replacing-body';
import { AsOfTime } from '../validation/time-parameter';
import { connectionId } from './connection-id';
import { asSentBack } from './connection-json';
import { ConnectionRecords } from './connection-records';
import { CreateConnectionDto, UpdateConnectionDto } from './connection.dto';
import { deliveryIn } from './delivery';
import { WriteKeys } from './write-keys';
import { RepeatablePost } from '../retries/repeatable-post';

const ANSWERED: Answered = {
  component: 'Connection',
  unchanged: [
    'id',
    'connector',
    'connectorType',
    'role',
    'strategy',
    'sendingMode',
    'linkedConnections',
    'eventTypes',
  ] satisfies ConnectionMember[],
  ignored: ['health', 'pipelines', 'version'],
};

@Tagged('Connections')
@Controller('v1/connections')
export class ConnectionsController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
    private readonly records: ConnectionRecords,
    private readonly writeKeys: WriteKeys,
  ) {}

  @Performs('ListConnections', 'List connections', {
    answer: 'ConnectionList',
    query: [SEARCH, ...PAGE],
  })
  @Get()
  list(@Metadata() { caller }: RequestMetadata, @Query() query: QueryParameters): Json {
    const list = this.reads.get('ListConnections', searchOf(query), caller);
    const connections = list.connections.map((view) => this.records.show(view, caller.workspace));
    return jsonObject({ connections, cursor: list.cursor });
  }

  @Performs('CreateConnection', 'Create connection', { answer: 'Created' })
  @RepeatablePost()
  @HttpCode(200)
  async create(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(CreateConnectionDto) body: CreateConnectionDto,
  ): Promise<Json> {
    const { workspace } = metadata.caller;
    if (body.role === 'Source' && body.sendingMode != null)
      throw malformed('/sendingMode', 'must be null: a source sends nothing');
    const id = newId() as ConnectionId;
    const command = {
      id,
      name: body.name,
      role: body.role,
      connector: body.connector,
      settings: this.records.seal(body.settings ?? new Map(), workspace),
      sendingMode: body.sendingMode ?? null,
      linkedConnections: (body.linkedConnections ?? []) as ConnectionId[],
      delivery: body.delivery ? deliveryIn(body.delivery) : null,
      writeKey: this.writeKeys.make(workspace),
    };
    const created = await this.pipelineService.execute('CreateConnection', id, command, metadata);
    return jsonObject({ id: created.id });
  }

  @Performs('GetConnection', 'Get connection', {
    answer: 'Connection',
    asOf: 'GetConnectionAsOf',
  })
  @Get(':id')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @AsOfTime() at: Instant | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const id = connectionId(path);
    const view =
      at === undefined
        ? this.reads.get('GetConnection', { id }, metadata.caller)
        : await this.pipelineService.query('GetConnectionAsOf', id, { id, at }, metadata);
    setETag(response, view.version);
    return this.records.show(view, metadata.caller.workspace);
  }

  @Performs('UpdateConnection', 'Update connection', {
    description: `A masked secret that is sent back keeps the present one; omitted settings and delivery are kept. ${SENT_BACK}`,
  })
  @Put(':id')
  async update(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @ReplacingBody(UpdateConnectionDto, ANSWERED)
    { body, sentBack }: Replacement<UpdateConnectionDto>,
  ): Promise<void> {
    const { name, settings } = body;
    const delivery = body.delivery && deliveryIn(body.delivery);
    const id = connectionId(path);
    const { caller } = metadata;
    checkUnchanged(sentBack, metadata.expectedVersion, () => {
      const view = this.reads.get('GetConnection', { id }, caller);
      const shown = this.records.show(view, caller.workspace);
      return { version: view.version, json: asSentBack(shown, sentBack) };
    });
    const command = {
      id,
      name,
      ...(settings !== undefined && {
        settings: this.records.seal(settings, caller.workspace),
      }),
      ...(delivery !== undefined && { delivery }),
    };
    await this.pipelineService.execute('UpdateConnection', id, command, metadata);
  }

  @Performs('DeleteConnection', 'Delete connection', {
    description: 'Its pipelines, event write keys and links are deleted too.',
  })
  @Delete(':id')
  async delete(@Metadata() metadata: RequestMetadata, @Param('id') path: string): Promise<void> {
    const id = connectionId(path);
    await this.pipelineService.execute('DeleteConnection', id, { id }, metadata);
  }
}
