import { Module } from '@nestjs/common';
import { EventSchemaController } from './event-schema.controller';
import { EventsController } from './events.controller';

/** The events of the warehouse, and their schema. */
@Module({ controllers: [EventSchemaController, EventsController] })
export class EventsModule {}
