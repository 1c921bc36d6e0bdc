import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module';
import { PipelineHistoryController } from './pipeline-history.controller';
import { Pipelines } from './pipelines';
import { PipelinesController } from './pipelines.controller';

@Module({
  imports: [ConnectionsModule],
  controllers: [PipelineHistoryController, PipelinesController],
  providers: [Pipelines],
  exports: [Pipelines],
})
export class PipelinesModule {}
