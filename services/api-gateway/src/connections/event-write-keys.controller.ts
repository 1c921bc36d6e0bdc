import { Controller, Delete, Get, HttpCode, Param, Res } from '@nestjs/common';
import type { Json } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { connectionId } from './connection-id';
import { WriteKeys } from './write-keys';
import { RepeatablePost } from '../retries/repeatable-post';

@Tagged('Connections')
@Controller('v1/connections/:id/event-write-keys')
export class EventWriteKeysController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
    private readonly writeKeys: WriteKeys,
  ) {}

  @Performs('CreateEventWriteKey', 'Create event write key', { answer: 'NewEventWriteKey' })
  @RepeatablePost()
  @HttpCode(200)
  async create(@Metadata() metadata: RequestMetadata, @Param('id') id: string): Promise<Json> {
    const connection = connectionId(id);
    const { workspace } = metadata.caller;
    const command = { connection, key: this.writeKeys.make(workspace) };
    const made = await this.pipelineService.execute(
      'CreateEventWriteKey',
      connection,
      command,
      metadata,
    );
    return jsonObject({ key: this.writeKeys.open(made.sealed, workspace) });
  }

  @Performs('ListEventWriteKeys', 'List event write keys', { answer: 'EventWriteKeyList' })
  @Get()
  list(
    @Metadata() { caller }: RequestMetadata,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Json {
    const connection = connectionId(id);
    const { version, keys } = this.reads.get('ListEventWriteKeys', { connection }, caller);
    setETag(response, version);
    const plain = keys.map((sealed) => this.writeKeys.open(sealed, caller.workspace));
    return jsonObject({ keys: plain });
  }

  @Performs('DeleteEventWriteKey', 'Delete event write key')
  @Delete(':key')
  async delete(
    @Metadata() metadata: RequestMetadata,
    @Param('id') id: string,
    @Param('key') key: string,
  ): Promise<void> {
    const connection = connectionId(id);
    const command = { connection, hash: this.writeKeys.hashOf(key) };
    await this.pipelineService.execute('DeleteEventWriteKey', connection, command, metadata);
  }
}
