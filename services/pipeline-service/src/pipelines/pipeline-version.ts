import type { EventPipelineState, Queries } from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { pipelineStream } from '../domain/pipeline.decide';

/** Answers one version of a pipeline, also of one that was deleted. Only services send this query. */
@Controller()
export class PipelineVersion {
  constructor(private readonly history: FactHistory) {}

  @Handles('PipelineVersion')
  async handle(
    @Payload() { in: { pipeline, version } }: RequestFor<'PipelineVersion'>,
  ): Promise<Queries['PipelineVersion']['out']> {
    const state = await this.history.stateOf(pipelineStream(pipeline), version);
    return { state: (state as EventPipelineState | undefined) ?? null };
  }
}
