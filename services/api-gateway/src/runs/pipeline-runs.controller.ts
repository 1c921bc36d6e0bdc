import { Controller, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { SCHEDULE_PERIODS, type SchedulePeriod } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { cursorLike, LIMIT } from '../openapi/schema/parameters';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Example } from '../openapi/schema/members';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { pipelineId } from '../pipelines/pipeline-id';
import { RepeatablePost } from '../retries/repeatable-post';
import { pageOf, type QueryParameters } from '../validation/page';
import { JsonBody, OptionalJsonBody } from '../validation/json-body';
import { pipelineFactJson } from './pipeline-fact-json';
import { IsBoolean, OneOf, OptionalOrNull, OrNull } from '../validation/shape';

@Example({ period: '1h' })
export class SetScheduleDto {
  @OrNull() @OneOf(...SCHEDULE_PERIODS) readonly period!: SchedulePeriod | null;
}

@Example({ incremental: true })
export class RunPipelineDto {
  @OptionalOrNull() @IsBoolean() readonly incremental?: boolean | null;
}

/** Runs of one pipeline, and its schedule. */
@Tagged('Runs')
@Controller('v1/pipelines/:id')
export class PipelineRunsController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('SetSchedulePeriod', 'Set schedule period', {
    description: 'How often the pipeline runs by itself; null: never.',
  })
  @Put('schedule')
  async setSchedule(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @JsonBody(SetScheduleDto) { period }: SetScheduleDto,
  ): Promise<void> {
    const id = pipelineId(path);
    await this.pipelineService.execute('SetSchedulePeriod', id, { id, period }, metadata);
  }

  @Performs('RunPipeline', 'Run pipeline', {
    description: 'Answers at once with the id of the run.',
    answer: 'Created',
  })
  @RepeatablePost('runs')
  @HttpCode(200)
  async run(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @OptionalJsonBody(RunPipelineDto) { incremental = null }: RunPipelineDto,
  ): Promise<Json> {
    const id = pipelineId(path);
    const run = await this.pipelineService.execute(
      'RunPipeline',
      id,
      { id, incremental },
      metadata,
    );
    return jsonObject({ id: run.id });
  }

  @Performs('ListPipelineFacts', 'List history of a pipeline', {
    description:
      'What was decided about it, in order: its configuration, schedule, health and skipped slots; also after its deletion.',
    answer: 'PipelineFactList',
    query: [LIMIT, cursorLike('^[0-9]{0,15}$')],
  })
  @Get('history')
  async history(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const input = { ...pageOf(query), id: pipelineId(path) };
    const { facts, cursor } = await this.pipelineService.query(
      'ListPipelineFacts',
      input.id,
      input,
      metadata,
    );
    return jsonObject({ facts: facts.map(pipelineFactJson), cursor });
  }
}
