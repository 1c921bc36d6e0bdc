import { Module } from '@nestjs/common';
import { ConnectionMetricsController } from './connection-metrics.controller';
import { PipelineMetricsController } from './pipeline-metrics.controller';

/** What has happened to events over time. */
@Module({ controllers: [PipelineMetricsController, ConnectionMetricsController] })
export class MetricsModule {}
