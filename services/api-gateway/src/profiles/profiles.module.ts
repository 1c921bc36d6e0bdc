import { Module } from '@nestjs/common';
import { ConnectionIdentitiesController } from './connection-identities.controller';
import { ProfileSchemaController } from './profile-schema.controller';
import { ProfilesController } from './profiles.controller';

/** The profiles of the warehouse, their schema, and the identities that they are made of. */
@Module({
  // The schema first: its path could be that of a profile.
  controllers: [ProfileSchemaController, ConnectionIdentitiesController, ProfilesController],
})
export class ProfilesModule {}
