import { Connectors } from '@penstock/connectors';
import {
  type ImportPipelineState,
  instant,
  type Recorded,
  Refusal,
  type RunId,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import { newId } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { connectionDecider, connectionStream } from '../domain/connection.decide';
import { runControlDecider, runControlStream } from '../domain/run-control.decide';
import { existingPipeline } from '../pipelines/existing-pipeline';
import { requestedRun } from './requested-run';
import { type RunPermission, runPermission } from './run-permission';
import { unchangedStreams } from '../command-handling/unchanged-streams';

type Reads = Pick<Reading<EntityManager>, 'read'>;

/** Requests a run of a pipeline that imports users. An executor performs it. */
@Controller()
export class RunPipeline {
  constructor(
    private readonly configuration: Configuration,
    private readonly connectors: Connectors,
  ) {}

  @Handles('RunPipeline')
  handle(
    @Payload() { context, in: { id, incremental } }: RequestFor<'RunPipeline'>,
  ): Promise<Recorded<{ readonly id: string }>> {
    const { workspace } = context;
    return this.configuration.execute(context, async (reading) => {
      const { pipeline } = await existingPipeline(reading, id, context);
      if (pipeline.target !== 'User') throw new Refusal('PipelineNotRunnable');
      const isIncremental = incremental ?? pipeline.imports.incremental;
      if (incremental === true && !(await this.canBeIncremental(reading, pipeline)))
        throw new Refusal('IncrementalNotPossible');
      const permission = await runPermission(reading, id, workspace);
      if (!permission.isOrganizationEnabled) throw new Refusal('OrganizationDisabled');
      if (!pipeline.enabled) throw new Refusal('PipelineDisabled');
      const own = await load(reading, runControlDecider, runControlStream(id));
      const run = newId() as RunId;
      const request = requestedRun(pipeline, own.state, {
        run,
        trigger: 'API',
        isIncremental,
        actor: context.actor,
        requestedAt: instant(new Date()),
        slot: null,
      });
      const of = { id: pipeline.id, workspace };
      const facts = runControlDecider.decide({ type: 'RequestRun', of, request }, own.state);
      checkMode(permission);
      return {
        streams: [appendTo(own, facts)],
        reply: { id: run },
        verify: unchangedStreams(permission.streams),
      };
    });
  }

  private async canBeIncremental(
    reading: Reads,
    { connection, imports: { source } }: ImportPipelineState,
  ): Promise<boolean> {
    if (source.kind !== 'application') return source.columns.updatedAt !== null;
    const { state } = await load(reading, connectionDecider, connectionStream(connection));
    return this.connectors.get(state?.connector ?? '')?.userSource?.readsChanges === true;
  }
}

/** @throws Refusal InspectionMode, MaintenanceMode */
const checkMode = ({ mode }: RunPermission): void => {
  if (mode === 'Inspection') throw new Refusal('InspectionMode');
  if (mode === 'Maintenance') throw new Refusal('MaintenanceMode');
};
