import { Module } from '@nestjs/common';
import { Organizations } from './organizations';
import { OrganizationsController } from './organizations.controller';

@Module({
  controllers: [OrganizationsController],
  providers: [Organizations],
})
export class OrganizationsModule {}
