import { Controller, Get, HttpCode, Put, Res } from '@nestjs/common';
import { type Instant, WAREHOUSE_MODES, type WarehouseMode } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { Warehouses } from '@penstock/warehouses';
import type { Response } from 'express';
import { OfOrganization } from '../auth/access';
import { setETag } from '../http/etag';
import { jsonObject } from '../http/json-object';
import { Describe, Performs, Tagged } from '../openapi/schema/describe';
import { Example } from '../openapi/schema/members';
import { Metadata } from '../pipeline-service/metadata';
import { type RequestMetadata, PipelineService } from '../pipeline-service/pipeline-service';
import { Reads } from '../reads/reads';
import { RepeatablePost } from '../retries/repeatable-post';
import { JsonBody } from '../validation/json-body';
import { IsBoolean, OneOf, Optional } from '../validation/shape';
import { AsOfTime } from '../validation/time-parameter';
import { WarehouseRecords } from './warehouse-records';
import { TestWarehouseDto, UpdateWarehouseDto } from './warehouse.dto';

@Example({ mode: 'Maintenance', cancelIncompatibleOperations: true })
export class SetWarehouseModeDto {
  @OneOf(...WAREHOUSE_MODES) readonly mode!: WarehouseMode;

  @Optional() @IsBoolean() readonly cancelIncompatibleOperations?: boolean;
}

@Tagged('Warehouse')
@Controller('v1/warehouse')
export class WarehouseController {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
    private readonly records: WarehouseRecords,
    private readonly platforms: Warehouses,
  ) {}

  @Performs('GetWarehouse', 'Get warehouse', {
    answer: 'Warehouse',
    asOf: 'GetWarehouseAsOf',
  })
  @Get()
  async get(
    @Metadata() metadata: RequestMetadata,
    @AsOfTime() at: Instant | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Json> {
    const { workspace, scope } = metadata.caller;
    const view =
      at === undefined
        ? this.reads.get('GetWarehouse', {}, metadata.caller)
        : await this.pipelineService.query('GetWarehouseAsOf', workspace, { at }, metadata);
    setETag(response, view.version);
    return this.records.show(view, { scope, workspace });
  }

  @Performs('UpdateWarehouse', 'Update warehouse', {
    description: 'An omitted mode is kept; omitted mcpSettings are cleared.',
  })
  @Put()
  async update(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(UpdateWarehouseDto) body: UpdateWarehouseDto,
  ): Promise<void> {
    const { workspace } = metadata.caller;
    const { mode, cancelIncompatibleOperations = false } = body;
    const command = {
      ...this.records.seal(body, workspace),
      ...(mode !== undefined && { mode }),
      cancelIncompatibleOperations,
    };
    await this.pipelineService.execute('UpdateWarehouse', workspace, command, metadata);
  }

  @Performs('TestWarehouse', 'Test warehouse update', {
    description: 'Refuses what the update would refuse.',
  })
  @Put('test')
  async test(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(TestWarehouseDto) body: TestWarehouseDto,
  ): Promise<void> {
    const { workspace } = metadata.caller;
    const settings = this.records.seal(body, workspace);
    await this.pipelineService.query('TestWarehouse', workspace, settings, metadata);
  }

  @Performs('SetWarehouseMode', 'Update warehouse mode')
  @Put('mode')
  async setMode(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(SetWarehouseModeDto) body: SetWarehouseModeDto,
  ): Promise<void> {
    const { mode, cancelIncompatibleOperations = false } = body;
    const command = { mode, cancelIncompatibleOperations };
    const { workspace } = metadata.caller;
    await this.pipelineService.execute('SetWarehouseMode', workspace, command, metadata);
  }

  @Performs('RepairWarehouse', 'Repair warehouse')
  @RepeatablePost('repair')
  @HttpCode(200)
  async repair(@Metadata() metadata: RequestMetadata): Promise<void> {
    await this.pipelineService.execute('RepairWarehouse', metadata.caller.workspace, {}, metadata);
  }

  @Describe('List warehouse platforms', { answer: 'WarehousePlatformList' })
  @Get('platforms')
  @OfOrganization()
  list(): Json {
    return jsonObject({ platforms: this.platforms.list.map(({ name }) => jsonObject({ name })) });
  }
}
