import { Controller, Get, HttpCode, Put, Res } from '@nestjs/common';
import { ConfigurationReplica } from '@penstock/contracts';
import { type Json, parseJson } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Example } from '../openapi/schema/members';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { RepeatablePost } from '../retries/repeatable-post';
import { JsonBody, OptionalJsonBody } from '../validation/json-body';
import { IsBoolean, Optional } from '../validation/shape';
import { ResolutionRecords } from './resolution-records';
import { SetResolutionSettingsDto } from './resolution-settings.dto';

@Example({ full: true })
export class StartResolutionDto {
  @Optional() @IsBoolean() readonly full?: boolean;
}

/** How identities become profiles. */
@Tagged('Profiles')
@Controller('v1/identity-resolution')
export class ResolutionsController {
  constructor(
    private readonly reads: Reads,
    private readonly replica: ConfigurationReplica,
    private readonly pipelineService: PipelineService,
    private readonly records: ResolutionRecords,
  ) {}

  @Performs('StartResolution', 'Start identity resolution', {
    description:
      'Answers at once. By default only what was changed is resolved; with `full` everything is computed anew.',
  })
  @RepeatablePost('start')
  @HttpCode(200)
  async start(
    @Metadata() metadata: RequestMetadata,
    @OptionalJsonBody(StartResolutionDto) { full = false }: StartResolutionDto,
  ): Promise<void> {
    const { workspace } = metadata.caller;
    await this.pipelineService.execute('StartResolution', workspace, { full }, metadata);
  }

  @Performs('GetLatestResolution', 'Get latest identity resolution', {
    description:
      '`progress` is how far it is. Values that very many identities share are warned of.',
    answer: 'LatestResolution',
  })
  @Get('latest')
  async latest(@Metadata() metadata: RequestMetadata): Promise<Json> {
    // The answer knows of a resolution that this gateway knows of.
    const { seen } = this.replica;
    const { workspace } = metadata.caller;
    const latest = await this.pipelineService.query(
      'GetLatestResolution',
      workspace,
      { seen },
      metadata,
    );
    return parseJson(JSON.stringify(latest));
  }

  @Performs('CancelResolution', 'Cancel identity resolution', {
    description: 'It ends within seconds: what it has resolved stays. Without one nothing changes.',
  })
  @RepeatablePost('cancel')
  @HttpCode(200)
  async cancel(@Metadata() metadata: RequestMetadata): Promise<void> {
    await this.pipelineService.execute('CancelResolution', metadata.caller.workspace, {}, metadata);
  }

  @Performs('GetResolutionSettings', 'Get identity resolution settings', {
    answer: 'ResolutionSettings',
  })
  @Get('settings')
  settings(
    @Metadata() { caller }: RequestMetadata,
    @Res({ passthrough: true }) response: Response,
  ): Json {
    const view = this.reads.get('GetResolutionSettings', {}, caller);
    setETag(response, view.version);
    return this.records.show(view, caller.workspace);
  }

  @Performs('SetResolutionSettings', 'Update identity resolution settings', {
    description: [
      'An omitted eventDelay is kept, and so are omitted blockedValues of what stays an identifier. Other identifiers or',
      'blocked values have everything computed anew. Settings that are set already change nothing.',
    ].join(' '),
  })
  @Put('settings')
  async set(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(SetResolutionSettingsDto) body: SetResolutionSettingsDto,
  ): Promise<void> {
    const { workspace } = metadata.caller;
    const wanted = this.records.wanted(body, workspace);
    await this.pipelineService.execute('SetResolutionSettings', workspace, wanted, metadata);
  }
}
