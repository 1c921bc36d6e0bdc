import { Module } from '@nestjs/common';
import { Suppressions } from './suppressions';
import { SuppressionsController } from './suppressions.controller';

@Module({
  controllers: [SuppressionsController],
  providers: [Suppressions],
})
export class SuppressionsModule {}
