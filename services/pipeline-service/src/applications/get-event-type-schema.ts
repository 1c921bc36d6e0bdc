import { type Queries, Refusal } from '@penstock/contracts';
import { printType } from '@penstock/schema';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Applications } from './applications';

/** Returns the schema of an event type of a connection; `null` for an event type without a schema. */
@Controller()
export class GetEventTypeSchema {
  constructor(private readonly applications: Applications) {}

  @Handles('GetEventTypeSchema')
  async handle(
    @Payload() { context, in: { connection, eventType } }: RequestFor<'GetEventTypeSchema'>,
  ): Promise<Queries['GetEventTypeSchema']['out']> {
    const { workspace } = context;
    const { destination, settings } = await this.applications.takingEvents(connection, workspace);
    const found = destination.eventTypes(settings).find(({ id }) => id === eventType);
    if (found === undefined) throw new Refusal('EventTypeNotExist');
    return { schema: found.schema && printType(found.schema) };
  }
}
