import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module';
import { FileLooks } from './file-looks';
import { FileStorages } from './file-storages';
import { GetAbsolutePath } from './get-absolute-path';
import { ListSheets } from './list-sheets';
import { ReadFile } from './read-file';

@Module({
  imports: [ConnectionsModule],
  controllers: [GetAbsolutePath, ListSheets, ReadFile],
  providers: [FileLooks, FileStorages],
})
export class FilesModule {}
