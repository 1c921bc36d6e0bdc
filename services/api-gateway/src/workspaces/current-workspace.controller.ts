import { Controller, Delete, Get, Put, Res } from '@nestjs/common';
import type { Instant } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import type { WorkspaceMember } from '../openapi/components/administration';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Example } from '../openapi/schema/members';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import type { Answered } from '../validation/json-body';
import {
  checkUnchanged,
  type Replacement,
  ReplacingBody,
  SENT_BACK,
} from '../validation/replacing-body';
import { Characters } from '../validation/shape';
import { AsOfTime } from '../validation/time-parameter';
import { workspaceJson } from './workspace-json';

const ANSWERED: Answered = {
  component: 'Workspace',
  unchanged: ['id'] satisfies WorkspaceMember[],
  ignored: ['version'],
};

@Example({ name: 'Europe' })
export class RenameWorkspaceDto {
  @Characters(1, 100) readonly name!: string;
}

/** The workspace that the request acts on. */
@Tagged('Workspaces')
@Controller('v1/workspaces/current')
export class CurrentWorkspaceController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  @Performs('GetWorkspace', 'Get current workspace', {
    answer: 'Workspace',
    asOf: 'GetWorkspaceAsOf',
  })
  @Get()
  async get(
    @Metadata() metadata: RequestMetadata,
    @AsOfTime() at: Instant | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const { workspace: id } = metadata.caller;
    const view =
      at === undefined
        ? this.reads.get('GetWorkspace', { id }, metadata.caller)
        : await this.pipelineService.query('GetWorkspaceAsOf', id, { id, at }, metadata);
    setETag(response, view.version);
    return workspaceJson(view);
  }

  @Performs('RenameWorkspace', 'Rename current workspace', { description: SENT_BACK })
  @Put()
  async rename(
    @Metadata() metadata: RequestMetadata,
    @ReplacingBody(RenameWorkspaceDto, ANSWERED)
    { body: { name }, sentBack }: Replacement<RenameWorkspaceDto>,
  ): Promise<void> {
    const { workspace: id } = metadata.caller;
    checkUnchanged(sentBack, metadata.expectedVersion, () => {
      const view = this.reads.get('GetWorkspace', { id }, metadata.caller);
      return { version: view.version, json: workspaceJson(view) };
    });
    await this.pipelineService.execute('RenameWorkspace', id, { id, name }, metadata);
  }

  /** Deletes the workspace with everything in it. Once this is answered, no gateway finds it. */
  @Performs('DeleteWorkspace', 'Delete current workspace', {
    description: 'Deletes everything that belongs to the workspace.',
  })
  @Delete()
  async delete(@Metadata() metadata: RequestMetadata): Promise<void> {
    const { workspace: id } = metadata.caller;
    await this.pipelineService.execute('DeleteWorkspace', id, { id }, metadata);
  }
}
