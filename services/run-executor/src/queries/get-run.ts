import type { Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { RunAnswers } from './run-answers';

/** Shows one run: how far it is, or how it ended. */
@Controller()
export class GetRun {
  constructor(private readonly answers: RunAnswers) {}

  @Handles('GetRun')
  handle(
    @Payload() request: RequestFor<'GetRun'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['GetRun']['out']> {
    return this.answers.take(request, context, (store) => this.answers.existing(store, request));
  }
}
