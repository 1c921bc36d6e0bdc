import { Module } from '@nestjs/common';
import { WarehouseChecks } from './warehouse-checks';
import { WarehouseController } from './warehouse.controller';
import { WorkspaceWarehouses } from './workspace-warehouses';

@Module({
  controllers: [WarehouseController],
  providers: [WarehouseChecks, WorkspaceWarehouses],
  exports: [WarehouseChecks],
})
export class WarehouseModule {}
