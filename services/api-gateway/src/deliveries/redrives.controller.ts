import { Controller, Get, HttpCode, Param, Query } from '@nestjs/common';
import {
  isIdForm,
  type JobId,
  type PipelineId,
  REDRIVEN_STATES,
  Refusal,
  type RedriveView,
  type RedriveWanted,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { Json } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';
import { malformed } from '../http/read-json';
import { instantIn } from '../http/rfc-3339';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Example } from '../openapi/schema/members';
import { PAGE } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { eventPipeline } from '../pipelines/event-pipeline';
import { Reads } from '../reads/reads';
import { RepeatablePost } from '../retries/repeatable-post';
import { OptionalJsonBody } from '../validation/json-body';
import { pageOf, type QueryParameters } from '../validation/page';
import { Characters, IsBoolean, OneOf, Optional, Texts, Time } from '../validation/shape';

/** Most deliveries that one request may name, and the longest id or code. */
const MAX_IDS = 1_000;
const MAX_TEXT = 100;

@Example({ state: 'Rejected', code: '400', from: '2026-03-01T09:30:00Z', dryRun: true })
export class CreateRedriveDto {
  @Optional() @OneOf(...REDRIVEN_STATES) readonly state?: RedriveWanted['state'];
  @Optional() @Characters(0, MAX_TEXT) readonly code?: string;
  @Optional() @Time() readonly from?: string;
  @Optional() @Time() readonly to?: string;
  @Optional() @Texts() readonly ids?: readonly string[];
  @Optional() @IsBoolean() readonly dryRun?: boolean;
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : instantIn(text));

/** @throws Refusal BadRequest for too many ids. */
const wantedOf = ({ state, code, from, to, ids }: CreateRedriveDto): RedriveWanted => {
  if (ids !== undefined && (ids.length < 1 || ids.length > MAX_IDS))
    throw malformed('/ids', `must have 1 to ${MAX_IDS} ids`);
  const wanted = { state, code, from: timeOf(from), to: timeOf(to), ids };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
};

/** @throws Refusal RedriveNotExist for a text that does not have the form of an id. */
const redriveId = (text: string): string => {
  if (!isIdForm(text)) throw new Refusal('RedriveNotExist');
  return text;
};

const redriveJson = (view: RedriveView): Json =>
  jsonObject<keyof RedriveView>({
    ...view,
    chosen: jsonInteger(view.chosen),
    delivered: jsonInteger(view.delivered),
    filtered: jsonInteger(view.filtered),
    rejected: jsonInteger(view.rejected),
    parked: jsonInteger(view.parked),
    left: jsonInteger(view.left),
  });

/** Redrives of the dead letters of a pipeline. */
@Tagged('Deliveries')
@Controller('v1/pipelines/:id/redrives')
export class RedrivesController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('CreateRedrive', 'Create redrive', {
    description:
      'Sends rejected and parked deliveries of the pipeline again, in its present version, in order per key and at a fifth ' +
      'of the rate of the connection. The set is fixed when the redrive is created; what another running redrive has chosen ' +
      'is left out, and so are `ids` that name no such delivery. `from` and `to` are about the times at which the events ' +
      'were received. With `dryRun`, the answer is only the number of what would be chosen.',
    answer: 'CreatedRedrive',
  })
  @RepeatablePost()
  @HttpCode(200)
  async create(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @OptionalJsonBody(CreateRedriveDto) body: CreateRedriveDto,
  ): Promise<Json> {
    const wanted = wantedOf(body);
    const pipeline = this.existing(path, metadata);
    const { requestId, commandId } = metadata;
    const isDryRun = body.dryRun ?? false;
    const made = { id: newId() as JobId, command: commandId ?? null, isDryRun };
    const { id, count } = await this.pipelineService.query(
      'CreateRedrive',
      requestId,
      { pipeline, wanted, ...made },
      metadata,
    );
    return jsonObject({ id: id ?? undefined, count: jsonInteger(count) });
  }

  @Performs('ListRedrives', 'List redrives', {
    description: 'Newest first.',
    answer: 'RedriveList',
    query: PAGE,
  })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const input = { ...pageOf(query), pipeline: this.existing(path, metadata) };
    const { requestId } = metadata;
    const list = await this.pipelineService.query('ListRedrives', requestId, input, metadata);
    return jsonObject({ redrives: list.redrives.map(redriveJson), cursor: list.cursor });
  }

  @Performs('GetRedrive', 'Get redrive', {
    description: 'How many of the chosen deliveries it has ended, and how.',
    answer: 'Redrive',
  })
  @Get(':job')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Param('job') job: string,
  ): Promise<Json> {
    const input = { pipeline: this.existing(path, metadata), id: redriveId(job) };
    const { requestId } = metadata;
    return redriveJson(await this.pipelineService.query('GetRedrive', requestId, input, metadata));
  }

  @Performs('CancelRedrive', 'Cancel redrive', {
    description:
      'It ends once its requests that are under way have ended; what it has not ended stays as it was. No effect on a ' +
      'redrive that has ended.',
  })
  @RepeatablePost(':job/cancel')
  @HttpCode(200)
  async cancel(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Param('job') job: string,
  ): Promise<void> {
    const input = { pipeline: this.existing(path, metadata), id: redriveId(job) };
    await this.pipelineService.query('CancelRedrive', metadata.requestId, input, metadata);
  }

  /** @throws Refusal PipelineNotExist */
  private existing(path: string, { caller }: RequestMetadata): PipelineId {
    return eventPipeline(this.reads, path, caller).id;
  }
}
