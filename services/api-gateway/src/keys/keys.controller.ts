import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { type ApiKeyView, isIdForm, Refusal } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { OfOrganization } from '../auth/access';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { PAGE, SEARCH } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { AnsweredOnce } from '../retries/answered-once';
import { JsonBody } from '../validation/json-body';
import { type QueryParameters, searchOf } from '../validation/page';
import { CreateKeyDto } from './create-key.dto';
import { NewKeys } from './new-key';
import { RepeatablePost } from '../retries/repeatable-post';

/** API keys of the organization. A key that is bound to a workspace lists and creates keys of that workspace only. */
@Tagged('Organization')
@Controller('v1/keys')
@OfOrganization()
export class KeysController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
    private readonly newKeys: NewKeys,
  ) {}

  @Performs('ListApiKeys', 'List API keys', { answer: 'ApiKeyList', query: [SEARCH, ...PAGE] })
  @Get()
  list(@Metadata() { caller }: RequestMetadata, @Query() query: QueryParameters): Json {
    const input = { ...searchOf(query), within: caller.boundTo };
    const list = this.reads.get('ListApiKeys', input, caller);
    return jsonObject({ keys: list.keys.map(keyJson), cursor: list.cursor });
  }

  @Performs('CreateApiKey', 'Create API key', {
    description: 'A key of one workspace makes keys of that workspace only.',
    answer: 'NewApiKey',
  })
  @RepeatablePost()
  @HttpCode(200)
  @AnsweredOnce()
  async create(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(CreateKeyDto) body: CreateKeyDto,
  ): Promise<Json> {
    const { organization } = metadata.caller;
    const { key, record } = this.newKeys.make(body, metadata.caller);
    const { id } = await this.pipelineService.execute(
      'CreateApiKey',
      organization.id,
      record,
      metadata,
    );
    if (id !== record.id)
      throw new Refusal('Conflict', { message: 'the key was made before, and is not kept' });
    return jsonObject({ id, key, hint: record.hint });
  }

  /** Once this is answered, every gateway refuses the key. */
  @Performs('RevokeApiKey', 'Revoke API key')
  @Delete(':id')
  async revoke(@Metadata() metadata: RequestMetadata, @Param('id') id: string): Promise<void> {
    if (!isIdForm(id)) throw new Refusal('KeyNotExist');
    const { organization, boundTo: within } = metadata.caller;
    await this.pipelineService.execute('RevokeApiKey', organization.id, { id, within }, metadata);
  }
}

const keyJson = (view: ApiKeyView): Json => jsonObject({ ...view });
