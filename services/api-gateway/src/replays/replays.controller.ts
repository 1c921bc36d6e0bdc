import { Controller, Get, HttpCode, Param, Query } from '@nestjs/common';
import {
  DIFFERENCE_KINDS,
  type DifferenceKind,
  isIdForm,
  type JobId,
  type PipelineId,
  Refusal,
  type ReplayWanted,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { Json } from '@penstock/schema';
import { includes } from '../auth/access';
import { jsonInteger, jsonObject } from '../http/json-object';
import { textOrNull } from '../http/json-text';
import { malformed } from '../http/read-json';
import { Performs, Tagged } from '../openapi/schema/describe';
import { oneOf } from '../openapi/schema/json-schema';
import { cursorLike, LIMIT, only, PAGE } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { eventPipeline } from '../pipelines/event-pipeline';
import { CreatePipelineDto, inputOf } from '../pipelines/pipeline.dto';
import { Reads } from '../reads/reads';
import { RepeatablePost } from '../retries/repeatable-post';
import { JsonBody, shaped } from '../validation/json-body';
import { pageOf, parameter, type QueryParameters } from '../validation/page';
import { CreateReplayDto, versionOf, windowOf } from './replay.dto';
import { differenceJson, failureJson, replayJson } from './replay-json';

const FAILURES_QUERY = [
  LIMIT,
  cursorLike('^([0-9a-z]{1,9}-([0-9A-Za-z]{16}|[1-9A-Za-z][0-9A-Za-z]{16,25}))?$'),
];
const DIFFERENCES_QUERY = [only('kind', oneOf(DIFFERENCE_KINDS)), ...FAILURES_QUERY];

/** @throws Refusal ReplayNotExist for a text that does not have the form of an id. */
const replayId = (text: string): string => {
  if (!isIdForm(text)) throw new Refusal('ReplayNotExist');
  return text;
};

const isKind = (text: string): text is DifferenceKind =>
  (DIFFERENCE_KINDS as readonly string[]).includes(text);

const kindParameter = (query: QueryParameters): DifferenceKind | null => {
  const kind = parameter(query, 'kind');
  if (kind === undefined) return null;
  if (isKind(kind)) return kind;
  throw malformed('/kind', `must be ${DIFFERENCE_KINDS.join(' or ')}`);
};

/** Replays of one pipeline. Any router answers, so that the requests are spread by their ids. */
@Tagged('Replays')
@Controller('v1/pipelines/:id/replays')
export class ReplaysController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('CreateReplay', 'Create replay', {
    description: [
      'Passes the events that were accepted from `from` to `to`, of the sources that are linked with the destination of the',
      'pipeline, through the pipeline as it is, as it was at `version`, or as `draft` says, which is the body of Create',
      'pipeline. Mode `shadow` sends nothing: it compares what would be sent with what was. Mode `deliver` sends the events',
      'that the version matches to the destination again, beside the live ones; it takes no draft. With `filter`, only events',
      'that match it. With `dryRun`, the answer is the number of the events, and nothing is created.',
    ].join(' '),
    answer: 'CreatedReplay',
    also: ['CheckReplay', 'CountReplayEvents'],
  })
  @RepeatablePost()
  @HttpCode(200)
  async create(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @JsonBody(CreateReplayDto) body: CreateReplayDto,
  ): Promise<Json> {
    const [window, version] = [windowOf(body), versionOf(body)];
    const draft = body.draft && shaped(CreatePipelineDto, body.draft, '/draft');
    const pipeline = this.existing(path, metadata);
    const checked = await this.checked(pipeline, body, draft ?? null, metadata);
    const wanted = { mode: body.mode, ...window, version, ...checked };
    const { requestId } = metadata;
    if (body.dryRun === true) {
      const counted = { pipeline, wanted };
      const { count, isComplete } = await this.pipelineService.query(
        'CountReplayEvents',
        requestId,
        counted,
        metadata,
      );
      return jsonObject({ count: jsonInteger(count), isComplete });
    }
    const input = { id: newId() as JobId, command: metadata.commandId ?? null, pipeline, wanted };
    const { id } = await this.pipelineService.query('CreateReplay', requestId, input, metadata);
    return jsonObject({ id });
  }

  @Performs('ListReplays', 'List replays', {
    description: 'Newest first. A replay is kept for 14 days after it has ended.',
    answer: 'ReplayList',
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
    const list = await this.pipelineService.query('ListReplays', requestId, input, metadata);
    return jsonObject({ replays: list.replays.map(replayJson), cursor: list.cursor });
  }

  @Performs('GetReplay', 'Get replay', {
    description: 'How far it is, and what it has found so far.',
    answer: 'Replay',
  })
  @Get(':job')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Param('job') job: string,
  ): Promise<Json> {
    const input = { pipeline: this.existing(path, metadata), id: replayId(job) };
    return replayJson(
      await this.pipelineService.query('GetReplay', metadata.requestId, input, metadata),
    );
  }

  @Performs('ListReplayDifferences', 'List replay differences', {
    description:
      'Examples of events of which the pipeline makes something else now: the first 300 of each kind, newest first. A key ' +
      'of scope `read` sees all values masked; any other access is recorded in the access log before it is answered.',
    answer: 'DifferenceList',
    query: DIFFERENCES_QUERY,
  })
  @Get(':job/differences')
  async differences(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Param('job') job: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const input = {
      ...pageOf(query),
      kind: kindParameter(query),
      pipeline: this.existing(path, metadata),
      id: replayId(job),
      withValues: includes(metadata.caller.scope, 'write'),
    };
    const { requestId } = metadata;
    const { differences, cursor } = await this.pipelineService.query(
      'ListReplayDifferences',
      requestId,
      input,
      metadata,
    );
    return jsonObject({ differences: differences.map(differenceJson), cursor });
  }

  @Performs('ListReplayFailures', 'List replay failures', {
    description:
      'The deliveries of a replay of mode `deliver` that were rejected or parked: the first 1,000 of each partition of the ' +
      'log, newest first. A key of scope `read` sees reasons without what may quote values; any other access is recorded ' +
      'in the access log before it is answered.',
    answer: 'ReplayFailureList',
    query: FAILURES_QUERY,
  })
  @Get(':job/failures')
  async failures(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Param('job') job: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const input = {
      ...pageOf(query),
      pipeline: this.existing(path, metadata),
      id: replayId(job),
      withValues: includes(metadata.caller.scope, 'write'),
    };
    const { requestId } = metadata;
    const list = await this.pipelineService.query('ListReplayFailures', requestId, input, metadata);
    return jsonObject({ failures: list.failures.map(failureJson), cursor: list.cursor });
  }

  @Performs('CancelReplay', 'Cancel replay', {
    description:
      'What it has found or sent so far stays; requests that are under way end first. No effect on a replay that has ended.',
  })
  @RepeatablePost(':job/cancel')
  @HttpCode(200)
  async cancel(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Param('job') job: string,
  ): Promise<void> {
    const input = { pipeline: this.existing(path, metadata), id: replayId(job) };
    await this.pipelineService.query('CancelReplay', metadata.requestId, input, metadata);
  }

  /** @throws Refusal PipelineNotExist */
  private existing(path: string, { caller }: RequestMetadata): PipelineId {
    return eventPipeline(this.reads, path, caller).id;
  }

  /** Lets the pipeline service check filter and draft, when there are any. */
  private async checked(
    pipeline: PipelineId,
    body: CreateReplayDto,
    draft: CreatePipelineDto | null,
    metadata: RequestMetadata,
  ): Promise<Pick<ReplayWanted, 'filter' | 'draft'>> {
    const filter = textOrNull(body.filter);
    if (filter === null && draft === null) return { filter: null, draft: null };
    const input = {
      pipeline,
      filter,
      draft: draft && {
        connection: draft.connection,
        target: draft.target,
        eventType: draft.eventType ?? null,
        ...inputOf(draft),
      },
    };
    return this.pipelineService.query('CheckReplay', pipeline, input, metadata);
  }
}
