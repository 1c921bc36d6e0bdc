import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { SlowRequests } from '../command-handling/slow-requests';
import { ApplicationUsers } from './application-users';
import { EventTypes } from './event-types';
import { SendEventPreviews } from './send-event-previews';

/** Queries about an application. */
@Controller()
export class ApplicationsController {
  constructor(
    private readonly eventTypes: EventTypes,
    private readonly users: ApplicationUsers,
    private readonly previews: SendEventPreviews,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('GetEventTypeSchema')
  eventTypeSchema(@Payload() request: RequestFor<'GetEventTypeSchema'>) {
    return this.eventTypes.schema(request);
  }

  @Handles('GetUserSchemas')
  userSchemas(@Payload() request: RequestFor<'GetUserSchemas'>, @Ctx() context: LogRequestContext) {
    return this.slow.handle(request, context, (signal) => this.users.schemas(request, signal));
  }

  @Handles('ListApplicationUsers')
  listUsers(
    @Payload() request: RequestFor<'ListApplicationUsers'>,
    @Ctx() context: LogRequestContext,
  ) {
    return this.slow.handle(request, context, (signal) => this.users.list(request, signal));
  }

  @Handles('PreviewSendEvent')
  previewSendEvent(
    @Payload() request: RequestFor<'PreviewSendEvent'>,
    @Ctx() context: LogRequestContext,
  ) {
    return this.slow.handle(request, context, (signal) => this.previews.preview(request, signal));
  }
}
