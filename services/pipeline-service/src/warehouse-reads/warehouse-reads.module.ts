import { Module } from '@nestjs/common';
import { WarehouseModule } from '../warehouse/warehouse.module';
import { GetProfile } from './get-profile';
import { ListConnectionIdentities } from './list-connection-identities';
import { ListEvents } from './list-events';
import { ListProfileEvents } from './list-profile-events';
import { ListProfileHistory } from './list-profile-history';
import { ListProfileIdentities } from './list-profile-identities';
import { ListProfileLinks } from './list-profile-links';
import { ListProfiles } from './list-profiles';
import { ProfilePages } from './profile-pages';
import { WarehouseReads } from './warehouse-reads';

@Module({
  imports: [WarehouseModule],
  controllers: [
    ListConnectionIdentities,
    ListProfiles,
    GetProfile,
    ListProfileIdentities,
    ListProfileLinks,
    ListProfileHistory,
    ListProfileEvents,
    ListEvents,
  ],
  providers: [WarehouseReads, ProfilePages],
  exports: [WarehouseReads],
})
export class WarehouseReadsModule {}
