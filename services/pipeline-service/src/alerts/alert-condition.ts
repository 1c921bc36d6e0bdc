import {
  ALERT_WINDOWS,
  type AlertCondition,
  type AlertConditionGiven,
  type AlertKind,
  alertProblems,
  Refusal,
  type WorkspaceId,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { load } from '../command-handling/decide-on';
import { connectionDecider, connectionStream } from '../domain/connection.decide';
import { pipelineDecider, pipelineStream } from '../domain/pipeline.decide';

const [DEFAULT_WINDOW] = ALERT_WINDOWS;

/** A condition as a command has it: the window may be left out. */
type Given = Omit<AlertConditionGiven, 'window'> & { readonly window?: number | null };

/**
 * The condition of an alert, the default window filled in.
 *
 * @throws Refusal BadRequest, naming every bad member.
 */
export const alertCondition = (kind: AlertKind, given: Given): AlertCondition => {
  const { connection, pipeline, threshold } = given;
  const usual = kind === 'deadLetterRate' ? DEFAULT_WINDOW : null;
  const condition = { connection, pipeline, threshold, window: given.window ?? usual };
  const details = alertProblems(kind, condition);
  if (details.length > 0) throw new Refusal('BadRequest', { details });
  return condition as AlertCondition;
};

/** @throws Refusal ConnectionNotExist, PipelineNotExist, unless the workspace has what the alert is to watch. */
export const checkWatched = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  { connection, pipeline }: Pick<AlertCondition, 'connection' | 'pipeline'>,
  workspace: WorkspaceId,
): Promise<void> => {
  if (connection !== null) {
    const { state } = await load(reading, connectionDecider, connectionStream(connection));
    if (state?.workspace !== workspace || state.deleted)
      throw new Refusal('ConnectionNotExist', { kind: 'refused' });
  }
  if (pipeline !== null) {
    const { state } = await load(reading, pipelineDecider, pipelineStream(pipeline));
    if (state?.workspace !== workspace || state.deleted)
      throw new Refusal('PipelineNotExist', { kind: 'refused' });
  }
};
