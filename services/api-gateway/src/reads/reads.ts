import { Injectable } from '@nestjs/common';
import {
  ConfigurationReads,
  ConfigurationReplica,
  type Reads as Contract,
} from '@penstock/contracts';
import type { Caller } from '../auth/caller';

/**
 * Answers reads of the newest configuration from this gateway's replica. The guard has brought it up to the end of the
 * log at the time of the request: it includes every change that was answered before, through any gateway.
 */
@Injectable()
export class Reads {
  private readonly configuration: ConfigurationReads;

  constructor(replica: ConfigurationReplica) {
    this.configuration = new ConfigurationReads(replica);
  }

  /** @throws Refusal */
  get<Name extends keyof Contract>(
    name: Name,
    input: Contract[Name]['in'],
    { organization, workspace }: Caller,
  ): Contract[Name]['out'] {
    return this.configuration.read(name, input, { organization: organization.id, workspace });
  }
}
