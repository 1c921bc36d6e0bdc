import { Module } from '@nestjs/common';
import { WarehouseReadsModule } from '../warehouse-reads/warehouse-reads.module';
import { EndErasure } from './end-erasure';
import { EraseProfile } from './erase-profile';
import { SuppressErased } from './suppress-erased';

@Module({
  imports: [WarehouseReadsModule],
  controllers: [EraseProfile, EndErasure, SuppressErased],
})
export class ErasuresModule {}
