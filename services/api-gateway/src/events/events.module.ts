import { Module } from '@nestjs/common';
import { EventSchemaController } from './event-schema.controller';

/** The event schema. */
@Module({ controllers: [EventSchemaController] })
export class EventsModule {}
