import { Module } from '@nestjs/common';
import { Queries } from './queries';
import { QueriesController } from './queries.controller';

@Module({
  controllers: [QueriesController],
  providers: [Queries],
  exports: [Queries],
})
export class QueriesModule {}
