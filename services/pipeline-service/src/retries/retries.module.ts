import { Module } from '@nestjs/common';
import { Retries } from './retries';
import { RetriesController } from './retries.controller';

@Module({
  controllers: [RetriesController],
  providers: [Retries],
})
export class RetriesModule {}
