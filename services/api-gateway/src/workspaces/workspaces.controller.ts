import { Controller, Get, HttpCode, Query } from '@nestjs/common';
import type { WorkspaceId } from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import type { Json, JsonObject } from '@penstock/schema';
import { NeedsOrganizationKey, OfOrganization } from '../auth/access';
import { jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { Example, schemaOf } from '../openapi/schema/members';
import { PAGE, SEARCH } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { RepeatablePost } from '../retries/repeatable-post';
import { JsonBody, shaped } from '../validation/json-body';
import { type QueryParameters, searchOf } from '../validation/page';
import { AnObject, Characters, Text } from '../validation/shape';
import { WarehouseRecords } from '../warehouse/warehouse-records';
import { TestWarehouseDto } from '../warehouse/warehouse.dto';
import { workspaceJson } from './workspace-json';

/** The member `warehouse` of {@link CreateWorkspaceDto}. */
class NewWarehouseDto extends TestWarehouseDto {
  @Text() readonly platform!: string;
}

@Example({
  name: 'Europe',
  warehouse: {
    platform: 'PostgreSQL',
    settings: {
      host: 'db.example.com',
      port: 5432,
      username: 'penstock',
      password: 'secret',
      database: 'europe',
      schema: 'public',
    },
  },
})
export class CreateWorkspaceDto {
  @Characters(1, 100) readonly name!: string;

  @AnObject(schemaOf(NewWarehouseDto)) readonly warehouse!: JsonObject;
}

/** Workspaces of the organization. A key that is bound to a workspace lists that one only. */
@Tagged('Workspaces')
@Controller('v1/workspaces')
@OfOrganization()
export class WorkspacesController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
    private readonly warehouses: WarehouseRecords,
  ) {}

  @Performs('ListWorkspaces', 'List workspaces', {
    answer: 'WorkspaceList',
    query: [SEARCH, ...PAGE],
  })
  @Get()
  list(@Metadata() { caller }: RequestMetadata, @Query() query: QueryParameters): Json {
    const input = { ...searchOf(query), within: caller.boundTo };
    const list = this.reads.get('ListWorkspaces', input, caller);
    return jsonObject({ workspaces: list.workspaces.map(workspaceJson), cursor: list.cursor });
  }

  @Performs('CreateWorkspace', 'Create workspace', {
    description: 'Connects to its data warehouse and initialises it.',
    answer: 'Created',
  })
  @RepeatablePost()
  @HttpCode(200)
  @NeedsOrganizationKey()
  async create(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(CreateWorkspaceDto) body: CreateWorkspaceDto,
  ): Promise<Json> {
    const given = shaped(NewWarehouseDto, body.warehouse, '/warehouse');
    const id = newId() as WorkspaceId;
    const warehouse = { platform: given.platform, ...this.warehouses.sealNew(given, id) };
    const command = { id, name: body.name, warehouse };
    const made = await this.pipelineService.execute('CreateWorkspace', id, command, metadata);
    return jsonObject({ id: made.id });
  }
}
