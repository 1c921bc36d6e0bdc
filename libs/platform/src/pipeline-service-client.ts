import { randomUUID } from 'node:crypto';
import {
  type Commands,
  type OrganizationId,
  type Queries,
  type Request,
  requestTopicOf,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import { LogClient, LogRequest, type MessageLog } from '@penstock/messaging';
import { firstValueFrom } from 'rxjs';

/** How a service other than the gateway reaches the pipeline service. */
export interface PipelineServiceClientOptions {
  readonly log: MessageLog;
  /** The caller's name in the log lines of the pipeline service: the name of the service. */
  readonly service: string;
  /** Milliseconds until an answer is given up; default 10,000. */
  readonly timeoutMs?: number;
  /** Milliseconds after the last answer in which the topic of answers is still read; default 30,000. */
  readonly idleMs?: number;
}

/**
 * Sends requests to the pipeline service on behalf of a service, not of a user: nothing is checked but that it is one
 * that the pipeline service knows.
 *
 * Any number of processes may send requests, each under a random name. All answers are in one topic, so
 * that it is read only while there are requests, and a little longer.
 */
export class PipelineServiceClient {
  private readonly client: LogClient;
  private underWay = 0;
  private idle: NodeJS.Timeout | undefined;
  private closing = Promise.resolve();

  constructor(private readonly options: PipelineServiceClientOptions) {
    const { log, timeoutMs } = options;
    this.client = new LogClient({
      log,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  /**
   * Asks the service that answers this query.
   *
   * @param about id of the object that the query is about.
   * @throws RequestTimeout, LogUnavailable, LogOverloaded: the caller may retry.
   * @throws RequestFailed with the code that the pipeline service has answered.
   */
  ask<Name extends keyof Queries>(
    name: Name,
    about: string,
    question: Queries[Name]['in'],
  ): Promise<Queries[Name]['out']> {
    return this.send(requestTopicOf(name), name, about, question, randomUUID());
  }

  /**
   * Changes the configuration. A command whose answer was lost may have been executed.
   *
   * @param about id of the object that the command is about: commands about one object are executed in order.
   * @param commandId what was executed under it is answered and not executed again; absent: a random one.
   * @throws RequestTimeout, LogUnavailable, LogOverloaded, RequestFailed as {@link ask}.
   */
  async execute<Name extends keyof Commands>(
    name: Name,
    about: string,
    command: Commands[Name]['in'],
    commandId: string = randomUUID(),
  ): Promise<void> {
    await this.send(TOPIC.commands, name, about, command, commandId);
  }

  /** What still waits for an answer gets none. Twice is as once. */
  async close(): Promise<void> {
    clearTimeout(this.idle);
    await this.client.close();
  }

  private async send<In, Out>(
    topic: string,
    name: string,
    about: string,
    input: In,
    commandId: string,
  ): Promise<Out> {
    clearTimeout(this.idle);
    this.underWay += 1;
    try {
      await this.closing;
      const data = this.request(input, commandId);
      const request = new LogRequest({ key: about, topic, commandId, data });
      return await firstValueFrom(this.client.send<Out>(name, request));
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.closeLater();
    }
  }

  private request<In>(input: In, commandId: string): Request<In> {
    return {
      context: {
        commandId,
        actor: this.options.service,
        requestId: randomUUID(),
        organization: '' as OrganizationId,
        workspace: '' as WorkspaceId,
      },
      in: input,
    };
  }

  private closeLater(): void {
    const { idleMs = 30_000 } = this.options;
    this.idle = setTimeout(() => {
      this.closing = this.client.close().catch(() => undefined);
    }, idleMs);
    this.idle.unref();
  }
}
