import { Controller, Get, HttpCode, Param } from '@nestjs/common';
import { ConfigurationReplica } from '@penstock/contracts';
import { type Json, parseJson } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { profileId } from '../profiles/profile-id';
import { RepeatablePost } from '../retries/repeatable-post';

/** People who are erased. */
@Tagged('Profiles')
@Controller('v1')
export class ErasuresController {
  constructor(
    private readonly replica: ConfigurationReplica,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('EraseProfile', 'Erase profile', {
    description: [
      'Answers at once. The profile, its identities, its history and its events in the warehouse are deleted as soon as the',
      'warehouse is in mode Normal; its users are suppressed, so that their deliveries that wait are dropped and what is',
      'kept of their events is erased. What comes again from imports or events is left out of the warehouse for good. The log',
      'of events keeps what it has until its retention ends. Of a profile that was merged into another one, the one that is',
      'left is erased. Repeated until it has ended, it answers the same erasure.',
    ].join(' '),
    answer: 'Created',
  })
  @RepeatablePost('profiles/:profile/erase')
  @HttpCode(200)
  async erase(
    @Metadata() metadata: RequestMetadata,
    @Param('profile') path: string,
  ): Promise<Json> {
    const profile = profileId(path);
    const { workspace } = metadata.caller;
    const { id } = await this.pipelineService.execute(
      'EraseProfile',
      workspace,
      { profile },
      metadata,
    );
    return jsonObject({ id });
  }

  @Performs('GetErasure', 'Get erasure', {
    description:
      'What was erased so far, and when it has ended. An `error` of one that goes on is what it waits for.',
    answer: 'Erasure',
  })
  @Get('erasures/:id')
  async get(@Metadata() metadata: RequestMetadata, @Param('id') id: string): Promise<Json> {
    // The answer knows of an erasure that this gateway knows of.
    const { seen } = this.replica;
    const { workspace } = metadata.caller;
    const input = { id, seen };
    const erasure = await this.pipelineService.query('GetErasure', workspace, input, metadata);
    return parseJson(JSON.stringify(erasure));
  }
}
