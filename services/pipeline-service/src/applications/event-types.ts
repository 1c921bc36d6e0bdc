import { type Queries, Refusal, type Request } from '@penstock/contracts';
import { printType } from '@penstock/schema';
import type { Applications } from './applications';

/** The event types of applications. */
export class EventTypes {
  constructor(private readonly applications: Applications) {}

  async schema({
    context: { workspace },
    in: { connection, eventType },
  }: Request<Queries['GetEventTypeSchema']['in']>): Promise<Queries['GetEventTypeSchema']['out']> {
    const { destination, settings } = await this.applications.takingEvents(connection, workspace);
    const found = destination.eventTypes(settings).find(({ id }) => id === eventType);
    if (found === undefined) throw new Refusal('EventTypeNotExist');
    return { schema: found.schema && printType(found.schema) };
  }
}
