import type { Queries, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { ApplicationUsers } from './application-users';
import { EventTypes } from './event-types';
import { SendEventPreviews } from './send-event-previews';

type In<Name extends keyof Queries> = Request<Queries[Name]['in']>;

/** What waits for somebody else's server, or for a function: it holds up no other request. */
const DETACHED = { detached: true };

/** A question about an application in, its answer out. */
@Controller()
export class ApplicationsController {
  constructor(
    private readonly eventTypes: EventTypes,
    private readonly users: ApplicationUsers,
    private readonly previews: SendEventPreviews,
  ) {}

  @MessagePattern('GetEventTypeSchema')
  eventTypeSchema(@Payload() request: In<'GetEventTypeSchema'>) {
    return this.eventTypes.schema(request);
  }

  @MessagePattern('GetUserSchemas', DETACHED)
  userSchemas(@Payload() request: In<'GetUserSchemas'>) {
    return this.users.schemas(request);
  }

  @MessagePattern('ListApplicationUsers', DETACHED)
  listUsers(@Payload() request: In<'ListApplicationUsers'>) {
    return this.users.list(request);
  }

  @MessagePattern('PreviewSendEvent', DETACHED)
  previewSendEvent(@Payload() request: In<'PreviewSendEvent'>) {
    return this.previews.preview(request);
  }
}
