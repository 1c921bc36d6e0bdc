import { Module } from '@nestjs/common';
import { ConnectionsController } from './connections.controller';
import { DummyController } from './dummy.controller';
import { EventWriteKeysController } from './event-write-keys.controller';
import { LinksController } from './links.controller';
import { ConnectionRecords } from './connection-records';
import { WriteKeys } from './write-keys';

/** Connections, their links and event write keys. */
@Module({
  controllers: [ConnectionsController, DummyController, EventWriteKeysController, LinksController],
  providers: [ConnectionRecords, WriteKeys],
  exports: [WriteKeys],
})
export class ConnectionsModule {}
