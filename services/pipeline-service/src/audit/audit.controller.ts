import type { Queries, Request } from '@penstock/contracts';
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { Audit } from './audit';

/** A question about the history in, its answer out. */
@Controller()
export class AuditController {
  constructor(private readonly audit: Audit) {}

  @MessagePattern('ListFacts')
  facts(@Payload() request: Request<Queries['ListFacts']['in']>) {
    return this.audit.facts(request);
  }
}
