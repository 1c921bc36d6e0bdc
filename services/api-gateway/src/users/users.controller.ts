import { Controller, HttpCode, Post } from '@nestjs/common';
import { suppressionId, type SuppressionId } from '@penstock/contracts';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { JsonBody } from '../validation/json-body';
import { SuppressedUserDto } from './suppressed-user.dto';
import { UserHash } from './user-hash';

/** Users whose events are left out. Their ids go no further than here. */
@Tagged('Users')
@Controller('v1/users')
export class UsersController {
  constructor(
    private readonly pipelineService: PipelineService,
    private readonly hash: UserHash,
  ) {}

  @Performs('SuppressUser', 'Suppress user', {
    description: 'Events of the user are left out from now on; what is on its way is erased.',
  })
  @Post('suppress')
  @HttpCode(200)
  async suppress(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(SuppressedUserDto) user: SuppressedUserDto,
  ): Promise<void> {
    const id = this.idOf(user, metadata);
    await this.pipelineService.execute('SuppressUser', id, { id }, metadata);
  }

  @Performs('UnsuppressUser', 'Unsuppress user')
  @Post('unsuppress')
  @HttpCode(200)
  async unsuppress(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(SuppressedUserDto) user: SuppressedUserDto,
  ): Promise<void> {
    const id = this.idOf(user, metadata);
    await this.pipelineService.execute('UnsuppressUser', id, { id }, metadata);
  }

  /** As events carry it: normalised. */
  private idOf({ userId }: SuppressedUserDto, { caller }: RequestMetadata): SuppressionId {
    return suppressionId(this.hash.of, caller.workspace, userId.normalize('NFC'));
  }
}
