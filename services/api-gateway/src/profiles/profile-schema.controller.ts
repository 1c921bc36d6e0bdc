import { Controller, Get, Put, Res } from '@nestjs/common';
import { type Json, parseJson } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { JsonBody } from '../validation/json-body';
import {
  ChangeProfileSchemaDto,
  changeOf,
  PreviewProfileSchemaDto,
  previewOf,
} from './profile-schema.dto';

@Tagged('Profiles')
@Controller('v1/profiles/schema')
export class ProfileSchemaController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('GetProfileSchema', 'Get profile schema', { answer: 'Schema' })
  @Get()
  get(
    @Metadata() { caller }: RequestMetadata,
    @Res({ passthrough: true }) response: Response,
  ): Json {
    const { version, schema } = this.reads.get('GetProfileSchema', {}, caller);
    setETag(response, version);
    return parseJson(schema);
  }

  @Performs('ChangeProfileSchema', 'Update profile schema', {
    description: [
      'Properties may be added, dropped, renamed within their parent, reordered and described otherwise. Pipelines are not',
      'changed: those that do not fit the schema are answered. A schema that equals the present one changes nothing. After',
      '60 seconds the answer is 503, and the change goes on: the same request waits for it.',
    ].join(' '),
    answer: 'ProfileSchemaChange',
  })
  @Put()
  async change(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(ChangeProfileSchemaDto) body: ChangeProfileSchemaDto,
  ): Promise<Json> {
    const { workspace } = metadata.caller;
    const { affectedPipelines } = await this.pipelineService.execute(
      'ChangeProfileSchema',
      workspace,
      changeOf(body),
      metadata,
    );
    return jsonObject({ affectedPipelines: [...affectedPipelines] });
  }

  @Performs('PreviewProfileSchemaChange', 'Preview profile schema update', {
    description: 'Answers the statements of the change and changes nothing.',
    answer: 'ProfileSchemaPreview',
  })
  @Put('preview')
  async preview(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(PreviewProfileSchemaDto) body: PreviewProfileSchemaDto,
  ): Promise<Json> {
    const { workspace } = metadata.caller;
    const { queries, affectedPipelines } = await this.pipelineService.query(
      'PreviewProfileSchemaChange',
      workspace,
      previewOf(body),
      metadata,
    );
    return jsonObject({ queries: [...queries], affectedPipelines: [...affectedPipelines] });
  }

  @Performs('GetLatestProfileSchemaChange', 'Get latest profile schema update', {
    answer: 'LatestProfileSchemaChange',
  })
  @Get('latest-change')
  latest(@Metadata() { caller }: RequestMetadata): Json {
    return jsonObject({ ...this.reads.get('GetLatestProfileSchemaChange', {}, caller) });
  }
}
