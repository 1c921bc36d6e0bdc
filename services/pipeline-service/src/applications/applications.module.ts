import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module';
import { ApplicationUsers } from './application-users';
import { Applications } from './applications';
import { ApplicationsController } from './applications.controller';
import { EventTypes } from './event-types';
import { SendEventPreviews } from './send-event-previews';

@Module({
  imports: [ConnectionsModule],
  controllers: [ApplicationsController],
  providers: [Applications, ApplicationUsers, EventTypes, SendEventPreviews],
})
export class ApplicationsModule {}
