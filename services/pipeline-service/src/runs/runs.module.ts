import { Module } from '@nestjs/common';
import { RunPipeline } from './run-pipeline';
import { SetSchedulePeriod } from './set-schedule-period';

@Module({ controllers: [SetSchedulePeriod, RunPipeline] })
export class RunsModule {}
