import { Module } from '@nestjs/common';
import { Runs } from './runs';
import { RunsController } from './runs.controller';

@Module({
  controllers: [RunsController],
  providers: [Runs],
})
export class RunsModule {}
