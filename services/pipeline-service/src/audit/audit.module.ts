import { Module } from '@nestjs/common';
import { GetAuditHead } from './get-audit-head';
import { ListFacts } from './list-facts';

@Module({ controllers: [ListFacts, GetAuditHead] })
export class AuditModule {}
