import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller';
import { AuditedStates } from './audited-states';

/** The audit of the configuration. */
@Module({ controllers: [AuditController], providers: [AuditedStates] })
export class AuditModule {}
