import { Module } from '@nestjs/common';
import { LateReads } from './late-reads';
import { LateWrites } from './late-writes';
import { ForbiddenChanges } from './forbidden-changes';
import { ProfileChangeEndings } from './profile-change-endings';
import { RepairWarehouse } from './repair-warehouse';
import { Repairs } from './repairs';
import { SetWarehouseMode } from './set-warehouse-mode';
import { TestWarehouse } from './test-warehouse';
import { UpdateWarehouse } from './update-warehouse';
import { WarehouseChecks } from './warehouse-checks';

@Module({
  controllers: [TestWarehouse, UpdateWarehouse, SetWarehouseMode, RepairWarehouse],
  providers: [
    WarehouseChecks,
    LateReads,
    LateWrites,
    ForbiddenChanges,
    ProfileChangeEndings,
    Repairs,
  ],
  exports: [WarehouseChecks, ProfileChangeEndings],
})
export class WarehouseModule {}
