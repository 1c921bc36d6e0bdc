import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { ChangeProfileSchema } from './change-profile-schema';
import { PreviewProfileSchemaChange } from './preview-profile-schema-change';
import { PrimarySourceChecks } from './primary-source-checks';
import { ProfileChanges } from './profile-changes';

@Module({
  imports: [WarehouseModule],
  controllers: [ChangeProfileSchema, PreviewProfileSchemaChange],
  providers: [ProfileChanges, PrimarySourceChecks],
})
export class ProfilesModule {}
