import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { CurrentWorkspaceController } from './current-workspace.controller';
import { WorkspacesController } from './workspaces.controller';

/** Workspaces, each of which is created with its warehouse. */
@Module({
  imports: [WarehouseModule],
  controllers: [WorkspacesController, CurrentWorkspaceController],
})
export class WorkspacesModule {}
