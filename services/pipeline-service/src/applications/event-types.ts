import { type Queries, Refusal } from '@penstock/contracts';
import { printType } from '@penstock/schema';
import { Injectable } from '@nestjs/common';
import type { RequestFor } from '../command-handling/handles';
import { Applications } from './applications';

/** The event types of applications. */
@Injectable()
export class EventTypes {
  constructor(private readonly applications: Applications) {}

  async schema({
    context: { workspace },
    in: { connection, eventType },
  }: RequestFor<'GetEventTypeSchema'>): Promise<Queries['GetEventTypeSchema']['out']> {
    const { destination, settings } = await this.applications.takingEvents(connection, workspace);
    const found = destination.eventTypes(settings).find(({ id }) => id === eventType);
    if (found === undefined) throw new Refusal('EventTypeNotExist');
    return { schema: found.schema && printType(found.schema) };
  }
}
