import { Controller, Put } from '@nestjs/common';
import { FreshPicture } from '../configuration/fresh-picture';
import { EvenDisabled, Needs, NeedsOrganizationKey, OfOrganization } from '../http/access';
import { JsonBody } from '../http/json-body';
import { TrueOrFalse } from '../http/shape';
import { AskedBy } from '../pipeline-service/asked';
import { type Asked, PipelineService } from '../pipeline-service/pipeline-service';

export class SetOrganizationStatusDto {
  @TrueOrFalse() readonly enabled!: boolean;
}

@Controller('v1/organization')
@OfOrganization()
export class OrganizationController {
  constructor(
    private readonly pipelineService: PipelineService,
    private readonly fresh: FreshPicture,
  ) {}

  /** Once it is answered, every gateway acts on it. A disabled organization can still be enabled. */
  @Put('status')
  @Needs('admin')
  @NeedsOrganizationKey()
  @EvenDisabled()
  async setStatus(
    @AskedBy() asked: Asked,
    @JsonBody(SetOrganizationStatusDto) { enabled }: SetOrganizationStatusDto,
  ): Promise<void> {
    const { id } = asked.caller.organization;
    await this.pipelineService.change('SetOrganizationStatus', id, { enabled }, asked);
    await this.fresh.seenEverywhere();
  }
}
