import { Module } from '@nestjs/common';
import { CancelRun } from './cancel-run';
import { EndRun } from './end-run';
import { ReplayRun } from './replay-run';
import { RunPipeline } from './run-pipeline';
import { SetSchedulePeriod } from './set-schedule-period';

@Module({ controllers: [SetSchedulePeriod, RunPipeline, ReplayRun, CancelRun, EndRun] })
export class RunsModule {}
