import {
  isSending,
  type PipelineDraft,
  type PipelineState,
  type Queries,
  Refusal,
} from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { FunctionRunner } from '@penstock/transformations';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Handles, type RequestFor } from '../command-handling/handles';
import { checkDefinition } from './check-definition';
import { compilingOnce } from './compile-function';
import { existingPipeline } from './existing-pipeline';
import { PipelineChecks } from './pipeline-checks';

type Check = Queries['CheckReplay'];
type Draft = NonNullable<Check['in']['draft']>;

/**
 * Checks the filter and the draft of a replay, as they would be checked in a pipeline that is created. For replays only
 * pipelines that send events exist.
 */
@Controller()
export class CheckReplay {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly checks: PipelineChecks,
    private readonly functions: FunctionRunner,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('CheckReplay')
  handle(@Payload() request: RequestFor<'CheckReplay'>, @Ctx() received: LogRequestContext) {
    const { workspace } = request.context;
    const { pipeline, filter, draft } = request.in;
    return this.slow.handle(request, received, async (signal): Promise<Check['out']> => {
      const own = await existingPipeline(this.store, pipeline, { workspace });
      if (!isSending(own.pipeline)) throw new Refusal('PipelineNotExist');
      const checked = checkDefinition({ filter, outSchema: null }, null);
      return {
        filter: checked.filter,
        draft: draft && (await this.draftOf(draft, own.pipeline, signal)),
      };
    });
  }

  /** @throws Refusal as Create pipeline does, with paths within the draft. */
  private async draftOf(
    draft: Draft,
    pipeline: PipelineState,
    signal: AbortSignal,
  ): Promise<PipelineDraft> {
    const { workspace } = pipeline;
    try {
      const compile = compilingOnce(this.functions, { workspace, signal });
      const { members } = await this.checks.ofNew(this.store, draft, workspace, compile);
      checkConnection(draft, pipeline);
      if (members.imports !== undefined || members.eventType === null) throw onlyEvents();
      const { target: _, ...definition } = members;
      return { name: draft.name, enabled: draft.enabled ?? false, ...definition };
    } catch (error) {
      throw error instanceof Refusal ? withinDraft(error) : error;
    }
  }
}

const onlyEvents = (): Refusal =>
  new Refusal('BadRequest', {
    details: [{ path: '/target', message: 'must be Event: events are replayed' }],
  });

/** @throws Refusal BadRequest */
const checkConnection = ({ connection }: Draft, pipeline: PipelineState): void => {
  if (connection === pipeline.connection) return;
  const message = 'must be the connection of the pipeline, whose events are replayed';
  throw new Refusal('BadRequest', { details: [{ path: '/connection', message }] });
};

const withinDraft = ({ code, message, kind, details }: Refusal): Refusal =>
  new Refusal(code, {
    message,
    kind,
    details: details.map((detail) => ({ ...detail, path: `/draft${detail.path}` })),
  });
