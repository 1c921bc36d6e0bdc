import type { WorkspaceState } from '@penstock/contracts';
import { PostgresEventStore, type StreamAppend, VersionConflict } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { checkVersion } from '../command-handling/check-version';
import { Configuration } from '../command-handling/configuration';
import { appendTo, deletions } from '../command-handling/decide-on';
import {
  contentsOf,
  contentsUnchanged,
  existingWorkspace,
} from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import { alertDecider, alertStream } from '../domain/alert.decide';
import { connectionDecider, connectionStream } from '../domain/connection.decide';
import { pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { workspaceDecider } from '../domain/workspace.decide';
import { closeResolution } from '../live-resolutions/live-resolutions';
import { closeRuns } from '../live-runs/live-runs';
import { revocationsOf } from '../organizations/revoke-keys';

/**
 * Deletes a workspace with its connections, pipelines and alerts, revokes its API keys and erases its data key: its facts stay,
 * the secrets in them cannot be opened any more. Its warehouse is not touched, since it may be unreachable; the marker
 * in it names a deleted workspace then, so that another workspace can take it over.
 */
@Controller()
export class DeleteWorkspace {
  constructor(
    private readonly configuration: Configuration,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles('DeleteWorkspace')
  handle(@Payload() { context, in: { id } }: RequestFor<'DeleteWorkspace'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await existingWorkspace(reading, id, context.organization);
      checkVersion(context, own.version);
      const facts = workspaceDecider.decide({ type: 'DeleteWorkspace' }, own.state);
      const revocations = await revocationsOf(reading, own.workspace);
      const contents = await contentsOf(reading.db, id);
      const closed = await closeRuns(reading, contents.pipelines, context.actor);
      const resolution = await closeResolution(reading, id);
      const pipelines = contents.pipelines.map(pipelineStream);
      const connections = contents.connections.map(connectionStream);
      const alerts = contents.alerts.map(alertStream);
      return {
        streams: [
          ...closed.streams,
          ...resolution.streams,
          ...(await deletions(reading, alertDecider, alerts, { type: 'DeleteAlert' })),
          ...(await deletions(reading, pipelineDecider, pipelines, { type: 'DeletePipeline' })),
          ...(await deletions(reading, connectionDecider, connections, {
            type: 'DeleteConnection',
          })),
          revocations,
          appendTo(own, facts),
        ],
        reply: {},
        verify: async (db) => {
          await contentsUnchanged(id, contents)(db);
          await closed.verify(db);
          await resolution.verify(db);
          await checkNoKeyAdded(db, own.workspace, revocations);
          await this.dataKeys.erase(db, id);
        },
      };
    });
  }
}

/**
 * Checks that a workspace without API keys did not get one since the decision. Nothing is appended to the organization
 * then, so that its version is not checked by the append.
 *
 * @throws VersionConflict
 */
const checkNoKeyAdded = async (
  db: EntityManager,
  workspace: WorkspaceState,
  revocations: StreamAppend,
): Promise<void> => {
  if (revocations.facts.length > 0) return;
  const { facts } = await revocationsOf(new PostgresEventStore(db), workspace);
  if (facts.length > 0) throw new VersionConflict(`workspace ${workspace.id} got an API key`);
};
