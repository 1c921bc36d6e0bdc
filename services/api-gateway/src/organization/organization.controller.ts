import { Controller, Get, Put, Res } from '@nestjs/common';
import type { OrganizationCounts } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import type { Response } from 'express';
import { EvenDisabled, NeedsOrganizationKey, OfOrganization } from '../auth/access';
import { setETag } from '../http/etag';
import { jsonInteger, jsonObject } from '../http/json-object';
import type { OrganizationMember } from '../openapi/components/administration';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Example } from '../openapi/schema/members';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { JsonBody } from '../validation/json-body';
import { IsBoolean } from '../validation/shape';

@Example({ enabled: true })
export class SetOrganizationStatusDto {
  @IsBoolean() readonly enabled!: boolean;
}

@Tagged('Organization')
@Controller('v1/organization')
@OfOrganization()
export class OrganizationController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('GetOrganization', 'Get organization', {
    description: 'Also works while the organization is disabled.',
    answer: 'Organization',
  })
  @Get()
  @NeedsOrganizationKey()
  @EvenDisabled()
  async get(
    @Metadata() metadata: RequestMetadata,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const { id } = metadata.caller.organization;
    const { version, limits, use, ...view } = await this.pipelineService.query(
      'GetOrganization',
      id,
      {},
      metadata,
    );
    setETag(response, version);
    return jsonObject<OrganizationMember>({
      ...view,
      limits: countsJson(limits),
      use: countsJson(use),
    });
  }

  /** Once this is answered, every gateway applies the status. A disabled organization can still be enabled. */
  @Performs('SetOrganizationStatus', 'Set organization status', {
    description: 'A disabled organization can only be enabled again.',
  })
  @Put('status')
  @NeedsOrganizationKey()
  @EvenDisabled()
  async setStatus(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(SetOrganizationStatusDto) { enabled }: SetOrganizationStatusDto,
  ): Promise<void> {
    const { id } = metadata.caller.organization;
    await this.pipelineService.execute('SetOrganizationStatus', id, { enabled }, metadata);
  }
}

const countsJson = ({
  connectors,
  connections,
  pipelines,
  workspaces,
  keys,
}: OrganizationCounts): Json =>
  jsonObject<keyof OrganizationCounts>({
    connectors: jsonInteger(connectors),
    connections: jsonInteger(connections),
    pipelines: jsonInteger(pipelines),
    workspaces: jsonInteger(workspaces),
    keys: jsonInteger(keys),
  });
