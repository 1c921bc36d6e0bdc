import type { ConnectionId } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, deletions, loadAll } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { connectionDecider, connectionStream } from '../domain/connection.decide';
import { pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { closeRuns } from '../live-runs/live-runs';
import { dependentsOf, unchanged } from './connection.checks';
import { existingConnection } from './existing-connection';

/** Deletes a connection with its pipelines, and the links that lead to it. */
@Controller()
export class DeleteConnection {
  constructor(private readonly configuration: Configuration) {}

  @Handles('DeleteConnection')
  handle(@Payload() { context, in: { id } }: RequestFor<'DeleteConnection'>) {
    return this.configuration.execute(context, async (reading) => {
      const own = await existingConnection(reading, id, context);
      const facts = connectionDecider.decide({ type: 'DeleteConnection' }, own.state);
      const dependents = await dependentsOf(reading.db, id);
      const closed = await closeRuns(reading, dependents.pipelines, context.actor);
      const pipelines = dependents.pipelines.map(pipelineStream);
      const sources = dependents.sources.map(connectionStream);
      const unlink = { type: 'UnlinkConnections', destination: id as ConnectionId } as const;
      return {
        streams: [
          ...closed.streams,
          ...(await deletions(reading, pipelineDecider, pipelines, { type: 'DeletePipeline' })),
          ...(await loadAll(reading, connectionDecider, sources)).map((source) =>
            appendTo(
              source,
              source.state?.deleted === false ? connectionDecider.decide(unlink, source.state) : [],
            ),
          ),
          appendTo(own, facts),
        ],
        reply: {},
        verify: async (db) => {
          await unchanged(id, dependents)(db);
          await closed.verify(db);
        },
      };
    });
  }
}
