import { Module } from '@nestjs/common';
import { DatabasesController } from './databases.controller';

/** Looks into databases. */
@Module({ controllers: [DatabasesController] })
export class DatabasesModule {}
