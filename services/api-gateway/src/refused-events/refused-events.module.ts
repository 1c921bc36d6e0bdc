import { Module } from '@nestjs/common';
import { RefusedEventsController } from './refused-events.controller';

/** Events that were refused, by source. */
@Module({ controllers: [RefusedEventsController] })
export class RefusedEventsModule {}
