import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { Workspaces } from './workspaces';
import { WorkspacesController } from './workspaces.controller';

@Module({
  imports: [WarehouseModule],
  controllers: [WorkspacesController],
  providers: [Workspaces],
})
export class WorkspacesModule {}
