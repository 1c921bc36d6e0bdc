import { Controller, Delete, Get, Put, Res } from '@nestjs/common';
import type { AsOf } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import type { Response } from 'express';
import { setETag } from '../http/etag';
import { Performs, Tagged } from '../openapi/schema/describe';
import { AT } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { JsonBody } from '../validation/json-body';
import { AskedAsOf } from '../validation/time-parameter';
import { workspaceJson } from './workspace-json';
import { RenameWorkspaceDto } from './workspace.dto';

/** The workspace that the request acts on. */
@Tagged('Workspaces')
@Controller('v1/workspaces/current')
export class CurrentWorkspaceController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('GetWorkspace', 'Get current workspace', { answer: 'Workspace', query: [AT] })
  @Get()
  async get(
    @Metadata() metadata: RequestMetadata,
    @AskedAsOf() asOf: AsOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const { workspace: id } = metadata.caller;
    const view = await this.pipelineService.query('GetWorkspace', id, { id, ...asOf }, metadata);
    setETag(response, view.version);
    return workspaceJson(view);
  }

  @Performs('RenameWorkspace', 'Rename current workspace')
  @Put()
  async rename(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(RenameWorkspaceDto) { name }: RenameWorkspaceDto,
  ): Promise<void> {
    const { workspace: id } = metadata.caller;
    await this.pipelineService.execute('RenameWorkspace', id, { id, name }, metadata);
  }

  /** With all that is in it. Once it is answered, no gateway finds the workspace any more. */
  @Performs('DeleteWorkspace', 'Delete current workspace', {
    description: 'With all that is in it.',
  })
  @Delete()
  async delete(@Metadata() metadata: RequestMetadata): Promise<void> {
    const { workspace: id } = metadata.caller;
    await this.pipelineService.execute('DeleteWorkspace', id, { id }, metadata);
  }
}
