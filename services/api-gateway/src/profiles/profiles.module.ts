import { Module } from '@nestjs/common';
import { ConnectionIdentitiesController } from './connection-identities.controller';
import { ProfileSchemaController } from './profile-schema.controller';

/** The schema of profiles, and the identities that they are made of. */
@Module({ controllers: [ProfileSchemaController, ConnectionIdentitiesController] })
export class ProfilesModule {}
