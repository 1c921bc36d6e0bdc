import type { ChainHeads } from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';

/** Returns the newest hashes in the chains of facts of a workspace and of its organization. */
@Controller()
export class GetAuditHead {
  constructor(private readonly history: FactHistory) {}

  @Handles('GetAuditHead')
  async handle(@Payload() { context, in: input }: RequestFor<'GetAuditHead'>): Promise<ChainHeads> {
    const { workspace, organization } = context;
    const heads = await this.history.chainHeads([workspace, organization]);
    return {
      workspace: heads.get(workspace) ?? null,
      organization: (input.ofOrganization ? heads.get(organization) : undefined) ?? null,
    };
  }
}
