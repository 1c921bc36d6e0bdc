import { randomUUID } from 'node:crypto';
import {
  type Commands,
  type ConfigurationReplica,
  instant,
  isSlow,
  type OperationName,
  type Queries,
  type Recorded,
  Refusal,
  type RefusalCode,
  type RefusalDetail,
  type RefusalKind,
  REFUSALS,
  type Request,
  SLOW_OPERATION_MS,
} from '@penstock/contracts';
import { type LogClient, LogRequest, RequestFailed } from '@penstock/messaging';
import { firstValueFrom } from 'rxjs';
import { HttpRefusal, unavailable } from '../http/http-refusal';
import { within } from '../replica/within';
import { type RequestMetadata, PipelineService } from './pipeline-service';

/** Milliseconds in which the change that was answered must be seen here too. */
const SEEN_TIMEOUT_MS = 5_000;

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

  override query<Name extends keyof Queries>(
    name: Name,
    about: string,
    query: Queries[Name]['in'],
    metadata: RequestMetadata,
  ): Promise<Queries[Name]['out']> {
    return this.send(name, about, query, { ...metadata, commandId: undefined });
  }

  private async send<Out>(
    name: OperationName,
    key: string,
    input: object,
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
    const timeout = isSlow(name, input) ? { timeoutMs: SLOW_OPERATION_MS } : {};
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
