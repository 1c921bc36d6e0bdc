import type { LatestResolution, Queries } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { PendingLooks } from '../resolutions/pending-looks';
import { ResolutionStore, type StoredResolution } from '../resolutions/resolution-store';
import { ResolutionWarnings } from '../resolutions/resolution-warnings';
import { RunAnswers } from './run-answers';

const NEVER: LatestResolution = {
  ...{ startTime: null, endTime: null, trigger: null, full: false, error: '', progress: null },
  ...{ identities: 0, created: 0, merged: 0, split: 0, deleted: 0, pending: 0, warnings: [] },
};

const latestOf = (
  { startedAt, endedAt, ...stored }: StoredResolution,
  warnings: LatestResolution['warnings'],
): LatestResolution => {
  const done = stored.identities;
  const progress = endedAt === null ? { done, total: done + stored.pending } : null;
  return { ...stored, startTime: startedAt, endTime: endedAt, progress, warnings };
};

/** Shows the latest resolution of a workspace, and how many identities are to be resolved now. */
@Controller()
export class GetLatestResolution {
  constructor(
    private readonly answers: RunAnswers,
    private readonly resolutions: ResolutionStore,
    private readonly looks: PendingLooks,
    private readonly warnings: ResolutionWarnings,
  ) {}

  @Handles('GetLatestResolution')
  async handle(
    @Payload() request: RequestFor<'GetLatestResolution'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['GetLatestResolution']['out']> {
    const workspace = request.context.workspace;
    const stored = await this.answers.take(request, context, () =>
      this.resolutions.latest(workspace),
    );
    const latest =
      stored === undefined
        ? NEVER
        : latestOf(stored, this.warnings.open(workspace, stored.warnings));
    const found = await this.looks.look(workspace);
    return { ...latest, pending: found?.count ?? latest.pending };
  }
}
