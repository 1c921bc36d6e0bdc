import { Module } from '@nestjs/common';
import { ApplicationsController } from './applications.controller';

/** Looks into applications. */
@Module({ controllers: [ApplicationsController] })
export class ApplicationsModule {}
