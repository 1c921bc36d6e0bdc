import { Connectors } from '@penstock/connectors';
import {
  isExport,
  isImport,
  type PipelineState,
  type Recorded,
  Refusal,
  type RequestContext,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { Handles, type RequestFor } from '../command-handling/handles';
import { existingPipeline } from '../pipelines/existing-pipeline';
import { canBeIncremental } from './can-be-incremental';
import { requestRun } from './request-run';

type Reads = Pick<Reading<EntityManager>, 'read'>;

/** @throws Refusal BadRequest: an export has no changes of its own to begin with. */
const checkWhole = (incremental: boolean | null): void => {
  if (incremental === null) return;
  const message = 'must be omitted or null for a pipeline of a destination';
  throw new Refusal('BadRequest', { details: [{ path: '/incremental', message }] });
};

/** Requests a run of a pipeline. An executor performs it. */
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
    return this.configuration.execute(context, async (reading) => {
      const { pipeline } = await existingPipeline(reading, id, context);
      return this.request(reading, context, pipeline, incremental);
    });
  }

  private async request(
    reading: Reads,
    context: RequestContext,
    pipeline: PipelineState,
    incremental: boolean | null,
  ) {
    if (isExport(pipeline)) {
      checkWhole(incremental);
      return requestRun(reading, context, pipeline, () => ({ trigger: 'API', cursor: null }));
    }
    if (!isImport(pipeline)) throw new Refusal('PipelineNotRunnable');
    const isIncremental = incremental ?? pipeline.imports.incremental;
    if (incremental === true && !(await canBeIncremental(reading, this.connectors, pipeline)))
      throw new Refusal('IncrementalNotPossible');
    return requestRun(reading, context, pipeline, (state) => ({
      trigger: 'API' as const,
      cursor: isIncremental ? (state?.cursor ?? null) : null,
    }));
  }
}
