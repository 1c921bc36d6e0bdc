import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Json } from '@penstock/schema';
import { connectionId } from '../connections/connection-id';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import type { QueryParameters } from '../validation/page';
import { pipelineMetricsJson, sourceMetricsJson } from './metrics-json';
import { METRICS_QUERY, metricsPeriod } from './metrics-query';

/** What has happened to the events of a connection over time. */
@Tagged('Metrics')
@Controller('v1/connections/:id')
export class ConnectionMetricsController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('GetConnectionMetrics', 'Get metrics of connection', {
    description:
      'Of a destination: the sum of the metrics of the pipelines that it has now. Of a source: its events by step of time, each ' +
      'counted once, whatever it is linked with.',
    answer: 'ConnectionMetrics',
    query: METRICS_QUERY,
  })
  @Get('metrics')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('id') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const period = metricsPeriod(query, Date.now());
    const { id, role, pipelines } = this.reads.get(
      'GetConnection',
      { id: connectionId(path) },
      metadata.caller,
    );
    const metrics = await this.pipelineService.query(
      'GetConnectionMetrics',
      metadata.requestId,
      { connection: id, pipelines: role === 'Source' ? null : pipelines, ...period },
      metadata,
    );
    return 'lag' in metrics
      ? pipelineMetricsJson(period, metrics)
      : sourceMetricsJson(period, metrics);
  }
}
