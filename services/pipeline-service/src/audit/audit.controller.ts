import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Audit } from './audit';

/** Queries about the history. */
@Controller()
export class AuditController {
  constructor(private readonly audit: Audit) {}

  @Handles('ListFacts')
  facts(@Payload() request: RequestFor<'ListFacts'>) {
    return this.audit.facts(request);
  }

  @Handles('GetAuditHead')
  head(@Payload() request: RequestFor<'GetAuditHead'>) {
    return this.audit.head(request);
  }
}
