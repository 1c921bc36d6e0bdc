import type { Queries, Request } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { SlowRequests } from '../command-handling/slow-requests';
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
    private readonly slow: SlowRequests,
  ) {}

  @MessagePattern('GetEventTypeSchema')
  eventTypeSchema(@Payload() request: In<'GetEventTypeSchema'>) {
    return this.eventTypes.schema(request);
  }

  @MessagePattern('GetUserSchemas', DETACHED)
  userSchemas(@Payload() request: In<'GetUserSchemas'>, @Ctx() { deadlineMs }: LogRequestContext) {
    const question = { request, deadlineMs, line: 'questions' } as const;
    return this.slow.handle(question, (signal) => this.users.schemas(request, signal));
  }

  @MessagePattern('ListApplicationUsers', DETACHED)
  listUsers(
    @Payload() request: In<'ListApplicationUsers'>,
    @Ctx() { deadlineMs }: LogRequestContext,
  ) {
    const question = { request, deadlineMs, line: 'questions' } as const;
    return this.slow.handle(question, (signal) => this.users.list(request, signal));
  }

  @MessagePattern('PreviewSendEvent', DETACHED)
  previewSendEvent(
    @Payload() request: In<'PreviewSendEvent'>,
    @Ctx() { deadlineMs }: LogRequestContext,
  ) {
    const question = { request, deadlineMs, line: 'questions' } as const;
    return this.slow.handle(question, (signal) => this.previews.preview(request, signal));
  }
}
