import { Module } from '@nestjs/common';
import { OrganizationController } from './organization.controller';

/** The organization. */
@Module({ controllers: [OrganizationController] })
export class OrganizationModule {}
