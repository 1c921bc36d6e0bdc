import { Module } from '@nestjs/common';
import { ConnectionSettings } from './connection-settings';
import { ConnectionStates } from './connection-states';
import { ConnectionTrials } from './connection-trials';
import { CreateConnection } from './create-connection';
import { CreateEventWriteKey } from './create-event-write-key';
import { DeleteConnection } from './delete-connection';
import { DeleteEventWriteKey } from './delete-event-write-key';
import { EventConnections } from './event-connections';
import { LinkConnections } from './link-connections';
import { UnlinkConnections } from './unlink-connections';
import { UpdateConnection } from './update-connection';

@Module({
  controllers: [
    CreateConnection,
    UpdateConnection,
    DeleteConnection,
    LinkConnections,
    UnlinkConnections,
    CreateEventWriteKey,
    DeleteEventWriteKey,
    ConnectionStates,
  ],
  providers: [ConnectionSettings, ConnectionTrials, EventConnections],
  exports: [ConnectionSettings],
})
export class ConnectionsModule {}
