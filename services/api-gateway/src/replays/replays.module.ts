import { Module } from '@nestjs/common';
import { ReplaysController } from './replays.controller';

/** Replays of pipelines. */
@Module({ controllers: [ReplaysController] })
export class ReplaysModule {}
