import { randomUUID } from 'node:crypto';
import {
  type Commands,
  type ConfigurationReplica,
  instant,
  type Recorded,
  Refusal,
  type RefusalCode,
  type RefusalDetail,
  type RefusalKind,
  REFUSALS,
  type Request,
} from '@penstock/contracts';
import { type LogClient, LogRequest, RequestFailed } from '@penstock/messaging';
import { firstValueFrom } from 'rxjs';
import { HttpRefusal, unavailable } from '../http/http-refusal';
import { within } from '../replica/within';
import { type RequestMetadata, PipelineService, type Questions } from './pipeline-service';

/** Milliseconds in which the change that was answered must be seen here too. */
const SEEN_TIMEOUT_MS = 5_000;

/** Milliseconds for what waits for an application, a warehouse or a function; anything else has the client's time. */
const SLOW_TIMEOUT_MS = 30_000;
const SLOW: ReadonlySet<keyof Commands | keyof Questions> = new Set([
  'CreatePipeline',
  'CreateWorkspace',
  'GetUserSchemas',
  'ListApplicationUsers',
  'PreviewSendEvent',
  'RepairWarehouse',
  'TestWarehouse',
  'UpdatePipeline',
  'UpdateWarehouse',
]);

/** Asks over the log. */
export class LogPipelineService extends PipelineService {
  constructor(
    private readonly client: LogClient,
    private readonly replica: ConfigurationReplica,
  ) {
    super();
  }

  override async execute<Name extends keyof Commands>(
    name: Name,
    about: string,
    command: Commands[Name]['in'],
    metadata: RequestMetadata,
  ): Promise<Commands[Name]['out']> {
    const recorded = await this.send<Recorded<Commands[Name]['out']>>(
      name,
      about,
      command,
      metadata,
    );
    const seen = this.replica.waitFor(recorded.position).then(() => true);
    if (!(await within(seen, SEEN_TIMEOUT_MS, false)))
      throw unavailable('the change was made but cannot be seen yet');
    return recorded.out;
  }

  override ask<Name extends keyof Questions>(
    name: Name,
    about: string,
    question: Questions[Name]['in'],
    metadata: RequestMetadata,
  ): Promise<Questions[Name]['out']> {
    return this.send(name, about, question, { ...metadata, commandId: undefined });
  }

  private async send<Out>(
    name: keyof Commands | keyof Questions,
    key: string,
    input: unknown,
    { caller, requestId, expectedVersion, commandId: given }: RequestMetadata,
  ): Promise<Out> {
    const commandId = given === undefined ? randomUUID() : `${given}/${name}`;
    const data: Request<unknown> = {
      context: {
        commandId,
        actor: caller.key,
        requestId,
        organization: caller.organization.id,
        workspace: caller.workspace,
        time: instant(new Date()),
        ...(expectedVersion !== undefined && { expectedVersion }),
      },
      in: input,
    };
    const timeout = SLOW.has(name) ? { timeoutMs: SLOW_TIMEOUT_MS } : {};
    try {
      return await firstValueFrom(
        this.client.send<Out>(name, new LogRequest({ key, data, commandId, ...timeout })),
      );
    } catch (error) {
      throw toClientError(error);
    }
  }
}

/** @param error of the one who was asked, or of the log: a RangeError is a request that fits into no message. */
const toClientError = (error: unknown): unknown => {
  if (error instanceof RequestFailed) return refusalIn(error);
  if (!(error instanceof RangeError)) return error;
  return new HttpRefusal('PayloadTooLarge', { because: 'it cannot be passed on', cause: error });
};

const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(REFUSALS, code);

/** A rule that said no over there says no here; any other failure stays one. */
const refusalIn = (failed: RequestFailed): Error => {
  const { code, message, kind, details } = failed;
  if (!isRefusalCode(code)) return failed;
  return new Refusal(code, {
    message,
    kind: (kind ?? REFUSALS[code].kind) as RefusalKind,
    details: (details ?? []) as readonly RefusalDetail[],
  });
};
