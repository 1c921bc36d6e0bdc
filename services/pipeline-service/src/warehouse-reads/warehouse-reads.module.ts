import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { GetProfile } from './get-profile';
import { ListConnectionIdentities } from './list-connection-identities';
import { ListEvents } from './list-events';
import { ListProfileEvents } from './list-profile-events';
import { ListProfileIdentities } from './list-profile-identities';
import { ListProfiles } from './list-profiles';
import { WarehouseReads } from './warehouse-reads';

@Module({
  imports: [WarehouseModule],
  controllers: [
    ListConnectionIdentities,
    ListProfiles,
    GetProfile,
    ListProfileIdentities,
    ListProfileEvents,
    ListEvents,
  ],
  providers: [WarehouseReads],
})
export class WarehouseReadsModule {}
