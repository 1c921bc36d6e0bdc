import { Controller, Get, Query } from '@nestjs/common';
import { isIdForm, Refusal } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { malformed } from '../http/read-json';
import { Describe, Refuses, Tagged } from '../openapi/schema/describe';
import { oneOf } from '../openapi/schema/json-schema';
import { FROM, only, PAGE, TO } from '../openapi/schema/parameters';
import { RepeatablePost } from '../retries/repeatable-post';
import { pageOf, parameter, type QueryParameters } from '../validation/page';
import { timeParameter } from '../validation/time-parameter';

const STATUSES = ['Queued', 'Running', 'Succeeded', 'Failed', 'Cancelled'];

const RUNS_QUERY = [only('pipeline'), only('status', oneOf(STATUSES)), FROM, TO, ...PAGE];

/** Checks the query of a list of runs. @throws Refusal BadRequest */
const checkRunsQuery = (query: QueryParameters): void => {
  const { cursor } = pageOf(query);
  if (cursor !== '' && !isIdForm(cursor))
    throw malformed('/cursor', 'must be a cursor that a list has answered');
  parameter(query, 'pipeline');
  const status = parameter(query, 'status');
  if (status !== undefined && !STATUSES.includes(status))
    throw malformed('/status', `must be ${STATUSES.join(' or ')}`);
  for (const name of ['from', 'to']) timeParameter(query, name);
};

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
