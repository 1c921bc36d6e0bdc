import { Module } from '@nestjs/common';
import { PipelinesController } from './pipelines.controller';

/** Pipelines. */
@Module({ controllers: [PipelinesController] })
export class PipelinesModule {}
