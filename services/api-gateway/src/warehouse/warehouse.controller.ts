import { Controller, Get, HttpCode, Put, Res } from '@nestjs/common';
import {
  type ChangedMode,
  type Instant,
  type ModeChange,
  WAREHOUSE_MODES,
  type WarehouseMode,
} from '@penstock/contracts';
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
  @Optional() @OneOf(...WAREHOUSE_MODES) readonly mode?: WarehouseMode;

  @Optional() @IsBoolean() readonly cancelIncompatibleOperations?: boolean;
}

const DRY_RUN_ANSWER = 'A dry run answers the change of the mode: `{"mode":{"from","to"}}`.';

const modeChange = ({
  mode,
  cancelIncompatibleOperations = false,
}: SetWarehouseModeDto): ModeChange => ({
  ...(mode !== undefined && { mode }),
  cancelIncompatibleOperations,
});

/** Returns the change of the mode for a dry run; a request that is executed has no body in its answer. */
const answerOf = ({ isDryRun }: RequestMetadata, changed: ChangedMode): Json | undefined =>
  isDryRun === true ? jsonObject({ mode: jsonObject({ ...changed.mode }) }) : undefined;

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
    description: `An omitted mode is Normal; omitted mcpSettings are cleared. ${DRY_RUN_ANSWER}`,
  })
  @Put()
  async update(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(UpdateWarehouseDto) body: UpdateWarehouseDto,
  ): Promise<Json | undefined> {
    const { workspace } = metadata.caller;
    const command = { ...this.records.seal(body, workspace), ...modeChange(body) };
    return answerOf(
      metadata,
      await this.pipelineService.execute('UpdateWarehouse', workspace, command, metadata),
    );
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

  @Performs('SetWarehouseMode', 'Update warehouse mode', {
    description: `An omitted mode is Normal. ${DRY_RUN_ANSWER}`,
  })
  @Put('mode')
  async setMode(
    @Metadata() metadata: RequestMetadata,
    @JsonBody(SetWarehouseModeDto) body: SetWarehouseModeDto,
  ): Promise<Json | undefined> {
    const { workspace } = metadata.caller;
    const command = modeChange(body);
    return answerOf(
      metadata,
      await this.pipelineService.execute('SetWarehouseMode', workspace, command, metadata),
    );
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
