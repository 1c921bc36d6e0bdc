import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module';
import { ApplicationRates } from './application-rates';
import { Applications } from './applications';
import { GetEventTypeSchema } from './get-event-type-schema';
import { GetUserSchemas } from './get-user-schemas';
import { ListApplicationUsers } from './list-application-users';
import { PreviewSendEvent } from './preview-send-event';

@Module({
  imports: [ConnectionsModule],
  controllers: [GetEventTypeSchema, GetUserSchemas, ListApplicationUsers, PreviewSendEvent],
  providers: [Applications, ApplicationRates],
})
export class ApplicationsModule {}
