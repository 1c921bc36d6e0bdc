import {
  type ConnectionId,
  type ReplayedRun,
  type RunEndStatus,
  type RunId,
} from '@penstock/contracts';
import { type FailureGroup, replayErrors } from './replay-errors';
import { replayRequest } from './replay-job';
import { type ReplayRow, replayView } from './replay-row';
import { deliverySteps, shadowSteps } from './replay-steps';

/** What is known of a pipeline that a request does not name. */
export interface KnownPipeline {
  readonly connection: ConnectionId;
  readonly name: string;
}

const CANCELLED = 'run was cancelled';

const warningsOf = (left: number): string[] =>
  left === 0 ? [] : [`${String(left)} events had not ended when the replay was cancelled`];

/**
 * The run that a replay of events is shown as.
 *
 * @param failures groups of those that it has kept, if it delivers.
 * @param known the pipeline, when it was not recorded with the replay and is still there.
 */
export const replayedRun = (
  row: ReplayRow,
  failures: readonly FailureGroup[],
  known: KnownPipeline | undefined,
): ReplayedRun => {
  const { mode, version, from, to, createdAt, createdBy, endedAt, ...view } = replayView(row);
  const { connection, pipelineName } = replayRequest(row.request);
  const isShadow = mode === 'shadow';
  const counts: Readonly<Record<string, number>> = isShadow ? { ...row.counts } : row.sent;
  const steps = isShadow ? shadowSteps(row.counts) : deliverySteps(row.sent);
  const { rate, total, remainingSeconds: eta } = view.progress;
  return {
    ...{ run: row.id as string as RunId, workspace: row.workspace, pipeline: row.pipeline },
    connection: connection ?? known?.connection ?? ('' as ConnectionId),
    pipelineName: pipelineName ?? known?.name ?? '',
    ...{ pipelineVersion: version, mode, from, to, actor: createdBy, requestedAt: createdAt },
    ...{ sequence: row.told, cancelledBy: row.cancelled_by },
    progress: { ...steps, rate, eta, total },
    warnings: warningsOf(counts['left'] ?? 0),
    ending: endedAt && {
      ...{ status: row.state as RunEndStatus, at: endedAt },
      error: row.state === 'Cancelled' ? row.reason || CANCELLED : row.reason,
    },
    errors: replayErrors(counts, steps, isShadow ? null : failures),
  };
};
