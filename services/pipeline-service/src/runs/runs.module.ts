import { Module } from '@nestjs/common';
import { CancelRun } from './cancel-run';
import { EndRun } from './end-run';
import { RunPipeline } from './run-pipeline';
import { SetSchedulePeriod } from './set-schedule-period';

@Module({ controllers: [SetSchedulePeriod, RunPipeline, CancelRun, EndRun] })
export class RunsModule {}
