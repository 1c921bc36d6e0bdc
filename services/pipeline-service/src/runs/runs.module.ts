import { Module } from '@nestjs/common';
import { CancelRun } from './cancel-run';
import { EndRun } from './end-run';
import { NoteRunWait } from './note-run-wait';
import { ReplayRun } from './replay-run';
import { RunPipeline } from './run-pipeline';
import { SetSchedulePeriod } from './set-schedule-period';

@Module({
  controllers: [SetSchedulePeriod, RunPipeline, ReplayRun, CancelRun, EndRun, NoteRunWait],
})
export class RunsModule {}
