import { Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { AsOf, ConnectionId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { Json } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import { jsonObject } from '../http/json-object';
import { malformed } from '../http/read-json';
import { Performs, Tagged } from '../openapi/schema/describe';
import { AT, PAGE } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { JsonBody } from '../validation/json-body';
import { pageOf, type QueryParameters } from '../validation/page';
import { AskedAsOf } from '../validation/time-parameter';
import { connectionId } from './connection-id';
import { ConnectionRecords } from './connection-records';
import { CreateConnectionDto } from './create-connection.dto';
import { deliveryIn } from './delivery';
import { UpdateConnectionDto } from './update-connection.dto';
import { WriteKeys } from './write-keys';

@Tagged('Connections')
@Controller('v1/connections')
export class ConnectionsController {
  constructor(
    private readonly pipelineService: PipelineService,
    private readonly records: ConnectionRecords,
    private readonly writeKeys: WriteKeys,
  ) {}

  @Performs('ListConnections', 'List connections', { answer: 'ConnectionList', query: PAGE })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const { workspace } = metadata.caller;
    const page = pageOf(query);
    const list = await this.pipelineService.query('ListConnections', workspace, page, metadata);
    const connections = list.connections.map((view) => this.records.show(view, workspace));
    return jsonObject({ connections, cursor: list.cursor });
  }

  @Performs('CreateConnection', 'Create connection', { answer: 'Created' })
  @Post()
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

  @Performs('GetConnection', 'Get connection', { answer: 'Connection', query: [AT] })
  @Get(':id')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @AskedAsOf() asOf: AsOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const id = connectionId(path);
    const view = await this.pipelineService.query('GetConnection', id, { id, ...asOf }, metadata);
    setETag(response, view.version);
    return this.records.show(view, metadata.caller.workspace);
  }

  @Performs('UpdateConnection', 'Update connection', {
    description:
      'A masked secret that is sent back stands for the one that is kept; settings and delivery that are left out stay as they are.',
  })
  @Put(':id')
  async update(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @JsonBody(UpdateConnectionDto) { name, settings, ...body }: UpdateConnectionDto,
  ): Promise<void> {
    const delivery = body.delivery && deliveryIn(body.delivery);
    const id = connectionId(path);
    const command = {
      id,
      name,
      ...(settings !== undefined && {
        settings: this.records.seal(settings, metadata.caller.workspace),
      }),
      ...(delivery !== undefined && { delivery }),
    };
    await this.pipelineService.execute('UpdateConnection', id, command, metadata);
  }

  @Performs('DeleteConnection', 'Delete connection', {
    description: 'Its pipelines, keys and links go with it.',
  })
  @Delete(':id')
  async delete(@Metadata() metadata: RequestMetadata, @Param('id') path: string): Promise<void> {
    const id = connectionId(path);
    await this.pipelineService.execute('DeleteConnection', id, { id }, metadata);
  }
}
