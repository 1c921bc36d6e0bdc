import { Module } from '@nestjs/common';
import { Audit } from './audit';
import { AuditController } from './audit.controller';

@Module({
  controllers: [AuditController],
  providers: [Audit],
})
export class AuditModule {}
