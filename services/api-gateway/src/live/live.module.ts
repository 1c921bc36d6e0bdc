import { Module } from '@nestjs/common';
import { LiveController } from './live.controller';

/** Events as they pass. */
@Module({ controllers: [LiveController] })
export class LiveModule {}
