import { Controller, Get, HttpCode, Param, Query } from '@nestjs/common';
import {
  ConfigurationReplica,
  isIdForm,
  type Queries,
  Refusal,
  RUN_STATUSES,
  type RunStatus,
  type RunView,
} from '@penstock/contracts';
import { type Json, writeJson } from '@penstock/schema';
import { includes } from '../auth/access';
import { jsonObject } from '../http/json-object';
import { JsonStream } from '../http/json-stream';
import { malformed } from '../http/read-json';
import { Performs, Tagged } from '../openapi/schema/describe';
import { oneOf } from '../openapi/schema/json-schema';
import { cursorLike, FROM, LIMIT, only, PAGE, TO } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { RepeatablePost } from '../retries/repeatable-post';
import { MAX_LIMIT, pageOf, parameter, type QueryParameters } from '../validation/page';
import { SHORT_TEXT, textParameter } from '../validation/text-parameter';
import { timeParameter } from '../validation/time-parameter';
import { runErrorJson, runFactJson, runJson } from './run-json';

const RUNS_QUERY = [
  only('pipeline', SHORT_TEXT),
  only('status', oneOf(RUN_STATUSES)),
  FROM,
  TO,
  ...PAGE,
];

const isStatus = (text: string): text is RunStatus =>
  (RUN_STATUSES as readonly string[]).includes(text);

/** Reads the query of a list of runs. @throws Refusal BadRequest */
const runsWanted = (query: QueryParameters): Omit<Queries['ListRuns']['in'], 'seen'> => {
  const { limit, cursor } = pageOf(query);
  if (cursor !== '' && !isIdForm(cursor))
    throw malformed('/cursor', 'must be a cursor that a list has answered');
  const pipeline = textParameter(query, 'pipeline') ?? null;
  const status = parameter(query, 'status') ?? null;
  if (status !== null && !isStatus(status))
    throw malformed('/status', `must be ${RUN_STATUSES.join(' or ')}`);
  const [from = null, to = null] = [timeParameter(query, 'from'), timeParameter(query, 'to')];
  return { limit, cursor, pipeline, status, from, to };
};

/** Writes the list of all runs, a page at a time. */
async function* allRuns(
  first: Queries['ListRuns']['out'],
  next: (cursor: string) => Promise<Queries['ListRuns']['out']>,
): AsyncGenerator<string> {
  yield '{"runs":[';
  let separator = '';
  for (let page = first; ; page = await next(page.cursor)) {
    for (const run of page.runs) {
      yield separator + writeJson(runJson(run));
      separator = ',';
    }
    if (page.cursor === '') break;
  }
  yield ']}';
}

/** @throws Refusal RunNotExist for a text that does not have the form of an id. */
const runId = (text: string): string => {
  if (!isIdForm(text)) throw new Refusal('RunNotExist');
  return text;
};

/** Runs of pipelines. Any executor answers, so that the requests are spread by their ids. */
@Tagged('Runs')
@Controller('v1/pipelines/runs')
export class RunsController {
  constructor(
    private readonly replica: ConfigurationReplica,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('ListRuns', 'List pipeline runs', {
    description:
      'Newest first, also of deleted pipelines, and replays of events. `from` and `to` are about `startTime`. ' +
      'Without `limit` and `cursor` all runs are answered, as a stream, without `cursor`; with either, a page.',
    answer: 'RunList',
    query: RUNS_QUERY,
  })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
  ): Promise<Json | JsonStream> {
    const wanted = runsWanted(query);
    const isPaged = query['limit'] !== undefined || query['cursor'] !== undefined;
    const limit = isPaged ? wanted.limit : MAX_LIMIT;
    const page = await this.ask('ListRuns', { ...wanted, limit }, metadata);
    const runs = page.runs.map(runJson);
    if (isPaged) return jsonObject({ runs, cursor: page.cursor });
    if (page.cursor === '') return jsonObject({ runs });
    const next = (cursor: string): Promise<Queries['ListRuns']['out']> =>
      this.ask('ListRuns', { ...wanted, limit, cursor }, metadata);
    return new JsonStream(allRuns(page, next));
  }

  @Performs('GetRun', 'Get pipeline run', {
    description: '`passed` and `failed` are 0 until it has ended; `progress` is how far it is.',
    answer: 'Run',
  })
  @Get(':id')
  async get(@Metadata() metadata: RequestMetadata, @Param('id') path: string): Promise<Json> {
    return runJson(await this.find(runId(path), metadata));
  }

  @Performs('ListRunErrors', 'List errors of a pipeline run', {
    description:
      'Why records failed, by step, the most frequent first. Samples are ids of records. What a function has thrown for them is ' +
      'kept sealed, and shown to keys that see values.',
    answer: 'RunErrorList',
    query: [LIMIT, cursorLike('^(\\d-\\d{1,15}-\\d{1,15})?$')],
  })
  @Get(':id/errors')
  async errors(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const withValues = includes(metadata.caller.scope, 'write');
    const input = { ...pageOf(query), id: runId(path), withValues };
    const { errors, cursor } = await this.ask('ListRunErrors', input, metadata);
    return jsonObject({ errors: errors.map(runErrorJson), cursor });
  }

  @Performs('ListRunFacts', 'List history of a pipeline run', {
    description: 'Everything that has happened to it, in order.',
    answer: 'RunFactList',
    query: [LIMIT, cursorLike('^(\\d{1,9})?$')],
  })
  @Get(':id/history')
  async history(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const input = { ...pageOf(query), id: runId(path) };
    const { facts, cursor } = await this.ask('ListRunFacts', input, metadata);
    return jsonObject({ facts: facts.map(runFactJson), cursor });
  }

  @Performs('CancelRun', 'Cancel pipeline run', {
    description: 'It ends within seconds. A run that has ended stays as it is.',
    answer: 'Run',
    also: ['GetRun', 'CancelReplay'],
  })
  @RepeatablePost(':id/cancel')
  @HttpCode(200)
  async cancel(@Metadata() metadata: RequestMetadata, @Param('id') path: string): Promise<Json> {
    const found = await this.find(runId(path), metadata);
    return runJson((await this.end(found, metadata)) ? await this.find(found.id, metadata) : found);
  }

  @Performs('ReplayRun', 'Replay pipeline run', {
    description:
      'Runs the pipeline again, in its present version, from where the run has begun. The pipeline goes on later from where it was.',
    answer: 'Created',
    also: ['GetRun'],
  })
  @RepeatablePost(':id/replay')
  @HttpCode(200)
  async replay(@Metadata() metadata: RequestMetadata, @Param('id') path: string): Promise<Json> {
    const run = await this.find(runId(path), metadata);
    const input = { id: run.pipeline, run: run.id, cursor: run.startingCursor };
    const made = await this.pipelineService.execute('ReplayRun', run.pipeline, input, metadata);
    return jsonObject({ id: made.id });
  }

  /** Asks those who perform a run to end it. @returns whether it is live. */
  private async end(run: RunView, metadata: RequestMetadata): Promise<boolean> {
    const { id, pipeline, replayMode, endTime } = run;
    if (replayMode !== null) {
      if (endTime !== null) return false;
      const replay = { pipeline, id };
      await this.pipelineService.query('CancelReplay', metadata.requestId, replay, metadata);
      return true;
    }
    if (this.replica.runControl(pipeline)?.live?.run !== id) return false;
    await this.pipelineService.execute('CancelRun', pipeline, { id: pipeline, run: id }, metadata);
    return true;
  }

  private find(id: string, metadata: RequestMetadata): Promise<RunView> {
    return this.ask('GetRun', { id }, metadata);
  }

  /** The answer knows of every run that this gateway knows of. */
  private ask<Name extends 'ListRuns' | 'GetRun' | 'ListRunErrors' | 'ListRunFacts'>(
    name: Name,
    input: Omit<Queries[Name]['in'], 'seen'>,
    metadata: RequestMetadata,
  ): Promise<Queries[Name]['out']> {
    const query = { ...input, seen: this.replica.seen } as Queries[Name]['in'];
    return this.pipelineService.query(name, metadata.requestId, query, metadata);
  }
}
