import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { Json } from '@penstock/schema';
import { Needs, OfOrganization } from '../http/access';
import { requireOrganizationKey } from '../http/caller';
import { JsonBody } from '../http/json-body';
import { jsonObject } from '../http/json-object';
import { onlyParameters, pageOf, type QueryParameters } from '../http/page';
import { AskedBy } from '../pipeline-service/asked';
import { type Asked, PipelineService } from '../pipeline-service/pipeline-service';
import { workspaceJson } from './workspace-json';
import { CreateWorkspaceDto } from './workspace.dto';

/** Workspaces of the organization; a key of one workspace sees that one only. */
@Controller('v1/workspaces')
@OfOrganization()
export class WorkspacesController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Get()
  async list(@AskedBy() asked: Asked, @Query() query: QueryParameters): Promise<Json> {
    onlyParameters(query, 'limit', 'cursor');
    const { organization, boundTo } = asked.caller;
    const question = { ...pageOf(query), within: boundTo };
    const list = await this.pipelineService.ask('ListWorkspaces', organization.id, question, asked);
    return jsonObject({ workspaces: list.workspaces.map(workspaceJson), cursor: list.cursor });
  }

  @Post()
  @HttpCode(200)
  @Needs('admin')
  async create(
    @AskedBy() asked: Asked,
    @JsonBody(CreateWorkspaceDto) { name }: CreateWorkspaceDto,
  ): Promise<Json> {
    requireOrganizationKey(asked.caller);
    const id = newId() as WorkspaceId;
    const made = await this.pipelineService.change('CreateWorkspace', id, { id, name }, asked);
    return jsonObject({ id: made.id });
  }
}
