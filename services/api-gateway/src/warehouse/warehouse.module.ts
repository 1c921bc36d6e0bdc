import { Module } from '@nestjs/common';
import { WarehouseController } from './warehouse.controller';
import { WarehouseRecords } from './warehouse-records';

/** The warehouse of a workspace. */
@Module({
  controllers: [WarehouseController],
  providers: [WarehouseRecords],
  exports: [WarehouseRecords],
})
export class WarehouseModule {}
