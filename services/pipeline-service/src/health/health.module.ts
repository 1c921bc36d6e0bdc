import { Module } from '@nestjs/common';
import { ReportHealth } from './report-health';

@Module({ controllers: [ReportHealth] })
export class HealthModule {}
