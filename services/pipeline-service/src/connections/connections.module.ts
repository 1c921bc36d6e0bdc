import { Module } from '@nestjs/common';
import { ConnectionHistories } from './connection-history';
import { ConnectionHistoryController } from './connection-history.controller';
import { ConnectionSettings } from './connection-settings';
import { Connections } from './connections';
import { ConnectionsController } from './connections.controller';

@Module({
  controllers: [ConnectionsController, ConnectionHistoryController],
  providers: [Connections, ConnectionSettings, ConnectionHistories],
  exports: [Connections, ConnectionSettings],
})
export class ConnectionsModule {}
