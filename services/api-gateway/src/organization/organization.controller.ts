import { Controller, Put } from '@nestjs/common';
import { EvenDisabled, Needs, NeedsOrganizationKey, OfOrganization } from '../http/access';
import { JsonBody } from '../http/json-body';
import { IsBoolean } from '../http/shape';
import { Example } from '../openapi/members';
import { Describe, Tagged } from '../openapi/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';

@Example({ enabled: true })
export class SetOrganizationStatusDto {
  @IsBoolean() readonly enabled!: boolean;
}

@Tagged('Organization')
@Controller('v1/organization')
@OfOrganization()
export class OrganizationController {
  constructor(private readonly pipelineService: PipelineService) {}

  /** Once it is answered, every gateway acts on it. A disabled organization can still be enabled. */
  @Describe('Set organization status', {
    description: 'A disabled organization can only be enabled again.',
  })
  @Put('status')
  @Needs('admin')
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
