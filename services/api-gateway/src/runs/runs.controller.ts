import { Controller, Get, Post, Query } from '@nestjs/common';
import { Refusal } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import type { QueryParameters } from '../http/page';
import { checkRunsQuery } from './runs-query';

/** Runs of pipelines. No kind of pipeline that there is can be run, so that there are none. */
@Controller('v1/pipelines/runs')
export class RunsController {
  @Get()
  list(@Query() query: QueryParameters): Json {
    checkRunsQuery(query);
    return jsonObject({ runs: [], cursor: '' });
  }

  @Get(':id')
  get(): never {
    throw new Refusal('RunNotExist');
  }

  @Post(':id/cancel')
  cancel(): never {
    throw new Refusal('RunNotExist');
  }
}
