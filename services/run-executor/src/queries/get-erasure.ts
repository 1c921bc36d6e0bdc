import { type Queries, Refusal } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ErasureStore } from '../erasures/erasure-store';
import { RunAnswers } from './run-answers';

/** Shows one erasure of a person: how far it is, or how it ended. */
@Controller()
export class GetErasure {
  constructor(
    private readonly answers: RunAnswers,
    private readonly erasures: ErasureStore,
  ) {}

  @Handles('GetErasure')
  async handle(
    @Payload() request: RequestFor<'GetErasure'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['GetErasure']['out']> {
    const { workspace } = request.context;
    const stored = await this.answers.take(request, context, () =>
      this.erasures.find(workspace, request.in.id),
    );
    if (stored === undefined) throw new Refusal('ErasureNotExist');
    const { erasure: id, ...view } = stored;
    return { id, ...view };
  }
}
