import { Controller, Get, HttpCode, Query } from '@nestjs/common';
import { suppressionId, type SuppressionId, type SuppressedUsersView } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';
import { malformed } from '../http/read-json';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Example } from '../openapi/schema/members';
import { USER_ID } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { RepeatablePost } from '../retries/repeatable-post';
import { JsonBody } from '../validation/json-body';
import { parameter, type QueryParameters } from '../validation/page';
import { Characters } from '../validation/shape';
import { UserHash } from './user-hash';

/** The maximal size of an event, which limits its user id. */
const MAX_CHARACTERS = 32_768;

@Example({ userId: 'Ada' })
export class SuppressedUserDto {
  @Characters(1, MAX_CHARACTERS) readonly userId!: string;
}

/** Suppressed users. Their ids are hashed here and do not leave this service. */
@Tagged('Users')
@Controller('v1/users')
export class UsersController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
    private readonly hash: UserHash,
  ) {}

  @Performs('SuppressUser', 'Suppress user', {
    description:
      'Events of the user are left out from now on, and those that have not been delivered are erased.',
  })
  @RepeatablePost('suppress')
  @HttpCode(200)
  async suppress(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(SuppressedUserDto) user: SuppressedUserDto,
  ): Promise<void> {
    const id = this.idOf(user, metadata);
    await this.pipelineService.execute('SuppressUser', id, { id }, metadata);
  }

  @Performs('UnsuppressUser', 'Unsuppress user')
  @RepeatablePost('unsuppress')
  @HttpCode(200)
  async unsuppress(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(SuppressedUserDto) user: SuppressedUserDto,
  ): Promise<void> {
    const id = this.idOf(user, metadata);
    await this.pipelineService.execute('UnsuppressUser', id, { id }, metadata);
  }

  @Performs('CountSuppressedUsers', 'Count suppressed users', {
    description:
      'With a userId it also returns whether that user is suppressed; nobody can list them.',
    answer: 'SuppressedUsers',
    query: [USER_ID],
  })
  @Get('suppressed')
  count(@Metadata() metadata: RequestMetadata, @Query() query: QueryParameters): Json {
    const userId = parameter(query, 'userId');
    if (userId === '') throw malformed('/userId', 'must not be empty');
    const wanted = userId === undefined ? {} : { id: this.idOf({ userId }, metadata) };
    const { count, suppressed } = this.reads.get('CountSuppressedUsers', wanted, metadata.caller);
    return jsonObject<keyof SuppressedUsersView>({ count: jsonInteger(count), suppressed });
  }

  /** Computes the id of the suppression from the normalised user id, as events contain it. */
  private idOf(
    { userId }: Pick<SuppressedUserDto, 'userId'>,
    { caller }: RequestMetadata,
  ): SuppressionId {
    return suppressionId(this.hash.of, caller.workspace, userId.normalize('NFC'));
  }
}
