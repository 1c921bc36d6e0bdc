import type { Queries, RunId, SampleText, WorkspaceId } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ErrorTexts } from '../store/error-texts';
import type { StoredRunError } from '../store/run-store';
import { checkCursor, pageOf } from './list-page';
import { RunAnswers } from './run-answers';

const CURSOR = /^\d-\d{1,15}-\d{1,15}$/;

/** Lists why records of a run failed, by step, the most frequent first. */
@Controller()
export class ListRunErrors {
  constructor(
    private readonly answers: RunAnswers,
    private readonly texts: ErrorTexts,
  ) {}

  @Handles('ListRunErrors')
  async handle(
    @Payload() request: RequestFor<'ListRunErrors'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListRunErrors']['out']> {
    const { limit, cursor, withValues = false } = request.in;
    const { workspace } = request.context;
    checkCursor(cursor, CURSOR);
    const { run, found } = await this.answers.take(request, context, async (store) => {
      const { id } = await this.answers.existing(store, request);
      return { run: id, found: await store.errorsOf(id, { limit: limit + 1, after: cursor }) };
    });
    const page = pageOf(found, limit, ({ place }) => place);
    const errors = page.items.map(({ view }) => ({
      ...view,
      texts: withValues ? this.opened(workspace, run, view) : [],
    }));
    return { errors, cursor: page.cursor };
  }

  /** In the order of the samples. */
  private opened(
    workspace: WorkspaceId,
    run: RunId,
    { samples, texts }: StoredRunError,
  ): readonly SampleText[] {
    return samples.flatMap((sample) => {
      const sealed = texts[sample];
      const text = sealed && this.texts.open(workspace, run, sealed);
      return text === undefined ? [] : [{ sample, text }];
    });
  }
}
