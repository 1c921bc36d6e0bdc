import { Module } from '@nestjs/common';
import { UsersController } from './users.controller';
import { UserHash } from './user-hash';

/** Suppressed users. */
@Module({ controllers: [UsersController], providers: [UserHash] })
export class UsersModule {}
