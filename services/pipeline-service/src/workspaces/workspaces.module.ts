import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { BegunWorkspaces } from './begun-workspaces';
import { CreateWorkspace } from './create-workspace';
import { DeleteWorkspace } from './delete-workspace';
import { RenameWorkspace } from './rename-workspace';

@Module({
  imports: [WarehouseModule],
  providers: [BegunWorkspaces],
  controllers: [CreateWorkspace, RenameWorkspace, DeleteWorkspace],
})
export class WorkspacesModule {}
