import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { GetProfile } from './get-profile';
import { ListConnectionIdentities } from './list-connection-identities';
import { WarehouseReads } from './warehouse-reads';

@Module({
  imports: [WarehouseModule],
  controllers: [ListConnectionIdentities, GetProfile],
  providers: [WarehouseReads],
})
export class WarehouseReadsModule {}
