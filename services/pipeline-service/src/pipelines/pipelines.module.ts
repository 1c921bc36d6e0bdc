import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module';
import { Pipelines } from './pipelines';
import { PipelinesController } from './pipelines.controller';

@Module({
  imports: [ConnectionsModule],
  controllers: [PipelinesController],
  providers: [Pipelines],
  exports: [Pipelines],
})
export class PipelinesModule {}
