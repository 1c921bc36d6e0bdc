import { Module } from '@nestjs/common';
import { ProfileSchemaController } from './profile-schema.controller';

/** The schema of profiles. */
@Module({ controllers: [ProfileSchemaController] })
export class ProfilesModule {}
