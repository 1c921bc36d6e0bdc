import type { EventPipelineState, Queries } from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { pipelineStream } from '../domain/pipeline.decide';
import { fitting } from '../read-model/fitting';

/** The most states in one answer; a state has up to 500 kB. */
const MAX_STATES = 20;

/**
 * Returns past states of pipelines, from the facts, however old they are. Routers query them, not on behalf of a user.
 */
@Controller()
export class PipelineStates {
  constructor(private readonly history: FactHistory) {}

  @Handles('PipelineStates')
  async handle(
    @Payload() { in: { pipeline, from, to } }: RequestFor<'PipelineStates'>,
  ): Promise<Queries['PipelineStates']['out']> {
    const limit = MAX_STATES + 1;
    const found = await this.history.statesOf(pipelineStream(pipeline), { from, to, limit });
    const states = found.map(({ position, state }) => ({
      position,
      state: state as EventPipelineState,
    }));
    const { items, rest } = fitting(states.slice(0, MAX_STATES));
    const next = rest ?? states[MAX_STATES];
    return { states: items, next: next?.position ?? null };
  }
}
