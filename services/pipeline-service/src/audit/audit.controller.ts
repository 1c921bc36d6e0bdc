import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { Audit } from './audit';

/** A question about the history in, its answer out. */
@Controller()
export class AuditController {
  constructor(private readonly audit: Audit) {}

  @Handles('ListFacts')
  facts(@Payload() request: RequestFor<'ListFacts'>) {
    return this.audit.facts(request);
  }
}
