import { randomUUID } from 'node:crypto';
import {
  OPERATIONS,
  type OrganizationId,
  type Queries,
  requestTopicOf,
  type WorkspaceId,
} from '@penstock/contracts';
import { LogClient, LogRequest, type MessageLog } from '@penstock/messaging';
import { openOutcome, sealMessage, type SealedMessage } from '@penstock/runtime';
import { lastValueFrom } from 'rxjs';
import { seals } from '../testing/installation.fixture';
import { WORKSPACE } from '../testing/pipelines.fixture';

/** Asks the routers over the log, as a gateway does. */
export class Questions {
  private readonly client: LogClient;

  constructor(log: MessageLog) {
    this.client = new LogClient({ log, timeoutMs: 120_000 });
  }

  async ask<Name extends keyof Queries>(
    name: Name,
    input: Queries[Name]['in'],
    workspace: WorkspaceId = WORKSPACE,
  ): Promise<Queries[Name]['out']> {
    const context = {
      commandId: randomUUID(),
      actor: 'key-1',
      requestId: randomUUID(),
      organization: 'organization01' as OrganizationId,
      workspace,
    };
    const { carriesRecords } = OPERATIONS[name];
    const place = { ...context, is: 'request' } as const;
    const data = { context, in: carriesRecords ? sealMessage(seals, input, place) : input };
    const request = new LogRequest({
      key: context.requestId,
      commandId: context.commandId,
      topic: requestTopicOf(name),
      data,
    });
    const answer = await lastValueFrom(this.client.send<object>(name, request));
    return carriesRecords
      ? openOutcome<Queries[Name]['out']>(seals, answer as SealedMessage, context)
      : answer;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
