import { Controller, Get, Query } from '@nestjs/common';
import { Refusal } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { Describe, Refuses, Tagged } from '../openapi/schema/describe';
import type { QueryParameters } from '../validation/page';
import { checkRunsQuery, RUNS_QUERY } from './runs-query';
import { RepeatablePost } from '../retries/repeatable-post';

/** Runs of pipelines. No kind of pipeline can be run yet, so the list is always empty. */
@Tagged('Runs')
@Controller('v1/pipelines/runs')
export class RunsController {
  @Describe('List pipeline runs', {
    description: 'Newest first.',
    answer: 'RunList',
    query: RUNS_QUERY,
  })
  @Get()
  list(@Query() query: QueryParameters): Json {
    checkRunsQuery(query);
    return jsonObject({ runs: [], cursor: '' });
  }

  @Describe('Get pipeline run', { answer: 'Run' })
  @Refuses('RunNotExist')
  @Get(':id')
  get(): never {
    throw new Refusal('RunNotExist');
  }

  @Describe('Cancel pipeline run')
  @Refuses('RunNotExist')
  @RepeatablePost(':id/cancel')
  cancel(): never {
    throw new Refusal('RunNotExist');
  }
}
