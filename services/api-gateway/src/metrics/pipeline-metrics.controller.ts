import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Json } from '@penstock/schema';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { pipelineId } from '../pipelines/pipeline-id';
import { Reads } from '../reads/reads';
import type { QueryParameters } from '../validation/page';
import { pipelineMetricsJson } from './metrics-json';
import { METRICS_QUERY, metricsPeriod } from './metrics-query';
import { untransformed } from './untransformed';

/** What has happened to the events of a pipeline over time. */
@Tagged('Metrics')
@Controller('v1/pipelines/:id')
export class PipelineMetricsController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('GetPipelineMetrics', 'Get metrics of pipeline', {
    description:
      'By step of time: how many events passed each step and failed at it, how they ended, retries and latency. Counts are exact; ' +
      'summed up over all time they are those of the conservation. `lag` is about now.',
    answer: 'PipelineMetrics',
    query: METRICS_QUERY,
  })
  @Get('metrics')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const period = metricsPeriod(query, Date.now());
    const { id, connection, target, eventType } = this.reads.get(
      'GetPipeline',
      { id: pipelineId(path) },
      metadata.caller,
    );
    const metrics = await this.pipelineService.query(
      'GetPipelineMetrics',
      metadata.requestId,
      { pipeline: id, connection, ...period },
      metadata,
    );
    const isRow = target === 'Event' && eventType === null;
    return pipelineMetricsJson(period, isRow ? untransformed(metrics) : metrics);
  }
}
