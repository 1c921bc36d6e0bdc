import { Injectable } from '@nestjs/common';
import {
  ConfigurationReads,
  ConfigurationReplica,
  type Reads as Contract,
} from '@penstock/contracts';
import type { Caller } from '../auth/caller';

/**
 * Answers what is asked about the newest configuration from this gateway's replica, which the guard has brought to where
 * the log ended when the request came: whatever was answered before, through any gateway, is in it.
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
