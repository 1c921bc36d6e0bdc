import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module';
import { DatabaseLooks } from './database-looks';
import { GetTableColumns } from './get-table-columns';
import { QueryDatabase } from './query-database';

@Module({
  imports: [ConnectionsModule],
  controllers: [GetTableColumns, QueryDatabase],
  providers: [DatabaseLooks],
})
export class DatabasesModule {}
