import { Module } from '@nestjs/common';
import { GetAuditHead } from './get-audit-head';
import { ListFacts } from './list-facts';
import { ListPipelineFacts } from './list-pipeline-facts';

@Module({ controllers: [ListFacts, ListPipelineFacts, GetAuditHead] })
export class AuditModule {}
