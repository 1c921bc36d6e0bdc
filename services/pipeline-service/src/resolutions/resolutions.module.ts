import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { CancelResolution } from './cancel-resolution';
import { EndResolution } from './end-resolution';
import { RepairLook } from './repair-look';
import { SetResolutionSettings } from './set-resolution-settings';
import { StartResolution } from './start-resolution';
import { TriggerResolution } from './trigger-resolution';

@Module({
  imports: [WarehouseModule],
  controllers: [
    StartResolution,
    CancelResolution,
    TriggerResolution,
    EndResolution,
    SetResolutionSettings,
  ],
  providers: [RepairLook],
})
export class ResolutionsModule {}
