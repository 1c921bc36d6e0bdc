import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { CreateWorkspace } from './create-workspace';
import { DeleteWorkspace } from './delete-workspace';
import { RenameWorkspace } from './rename-workspace';

@Module({
  imports: [WarehouseModule],
  controllers: [CreateWorkspace, RenameWorkspace, DeleteWorkspace],
})
export class WorkspacesModule {}
