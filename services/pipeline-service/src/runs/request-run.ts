import {
  instant,
  isExport,
  Refusal,
  type RequestContext,
  type RequestedRun,
  type RunId,
  type RunPipelineState,
} from '@penstock/contracts';
import type { Decision, Reading } from '@penstock/event-sourcing';
import { newId } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { appendTo, load } from '../command-handling/decide-on';
import { unchangedStreams } from '../command-handling/unchanged-streams';
import { type RunControl, runControlDecider, runControlStream } from '../domain/run-control.decide';
import { type RunPermission, runPermission } from './run-permission';

/** What of a run depends on what asks for it. `cursor`: where it begins; `null`: it is a full one. */
type Beginning = Pick<RequestedRun, 'trigger' | 'cursor'>;

/**
 * Requests a run of the pipeline, in its present version, if it may run now.
 *
 * @param begin decides where it begins, of the runs of the pipeline so far.
 * @throws Refusal OrganizationDisabled, PipelineDisabled, PipelineAlreadyRunning, InspectionMode, MaintenanceMode
 */
export const requestRun = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  { workspace, actor }: Pick<RequestContext, 'workspace' | 'actor'>,
  pipeline: RunPipelineState,
  begin: (state: RunControl) => Beginning,
): Promise<Decision<EntityManager> & { readonly reply: { readonly id: string } }> => {
  const permission = await runPermission(reading, pipeline.id, workspace);
  if (!permission.isOrganizationEnabled) throw new Refusal('OrganizationDisabled');
  if (!pipeline.enabled) throw new Refusal('PipelineDisabled');
  const own = await load(reading, runControlDecider, runControlStream(pipeline.id));
  const beginning = begin(own.state);
  const run = newId() as RunId;
  const request = {
    ...beginning,
    run,
    pipelineVersion: pipeline.version,
    incremental: isExport(pipeline) ? null : beginning.cursor !== null,
    requestedAt: instant(new Date()),
    actor,
    slot: null,
  };
  const of = { id: pipeline.id, workspace: pipeline.workspace };
  const facts = runControlDecider.decide({ type: 'RequestRun', of, request }, own.state);
  checkMode(permission);
  return {
    streams: [appendTo(own, facts)],
    reply: { id: run },
    verify: unchangedStreams(permission.streams),
  };
};

/** @throws Refusal InspectionMode, MaintenanceMode */
const checkMode = ({ mode }: RunPermission): void => {
  if (mode === 'Inspection') throw new Refusal('InspectionMode');
  if (mode === 'Maintenance') throw new Refusal('MaintenanceMode');
};
