import { Module } from '@nestjs/common';
import { RunsController } from './runs.controller';
import { PipelineRunsController } from './pipeline-runs.controller';

/** Runs and schedules. */
@Module({ controllers: [RunsController, PipelineRunsController] })
export class RunsModule {}
