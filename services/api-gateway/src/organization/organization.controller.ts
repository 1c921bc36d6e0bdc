import { Controller, Put } from '@nestjs/common';
import { EvenDisabled, NeedsOrganizationKey, OfOrganization } from '../auth/access';
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

  /** Once it is answered, every gateway acts on it. A disabled organization can still be enabled. */
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
