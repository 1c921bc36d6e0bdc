import { randomUUID } from 'node:crypto';
import {
  type Commands,
  type ConfigurationReplica,
  isSlow,
  type OperationName,
  OPERATIONS,
  type Queries,
  type Recorded,
  Refusal,
  type RefusalCode,
  type RefusalDetail,
  type RefusalKind,
  REFUSALS,
  type Request,
  SLOW_OPERATION_MS,
  TOPIC,
} from '@penstock/contracts';
import {
  type LogClient,
  LogRequest,
  type LogRequestOptions,
  RequestFailed,
} from '@penstock/messaging';
import { openOutcome, sealMessage, type SealedMessage, type Seals } from '@penstock/runtime';
import { firstValueFrom } from 'rxjs';
import { includes } from '../auth/access';
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
    private readonly seals: Seals,
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
    if (metadata.isDryRun === true) return recorded.out;
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
    { caller, requestId, expectedVersion, isDryRun, commandId: given }: RequestMetadata,
  ): Promise<Out> {
    const { kind, scope, isVersioned, carriesRecords } = OPERATIONS[name];
    // The guard looks at what the route says it performs; this, at what it does.
    if (!includes(caller.scope, scope)) throw new Refusal('Forbidden');
    if (kind === 'command' && !isVersioned && expectedVersion !== undefined)
      throw new Refusal('Conflict', { message: 'If-Match names a version of what has none' });
    const commandId = given === undefined ? randomUUID() : `${given}/${name}`;
    const data: Request<object> = {
      context: {
        commandId,
        actor: caller.key,
        requestId,
        organization: caller.organization.id,
        workspace: caller.workspace,
        ...(expectedVersion !== undefined && { expectedVersion }),
        ...(isDryRun === true && { isDryRun }),
      },
      in: input,
    };
    const request = {
      key,
      commandId,
      topic: kind === 'query' ? TOPIC.queries : TOPIC.commands,
      ...(isSlow(name, input) && { timeoutMs: SLOW_OPERATION_MS }),
    };
    try {
      if (!carriesRecords) return await this.answerTo<Out>(name, { ...request, data });
      return await this.answerToSealed<Out>(name, { ...request, data });
    } catch (error) {
      throw toClientError(error);
    }
  }

  private answerTo<Out>(name: OperationName, request: LogRequestOptions<object>): Promise<Out> {
    return firstValueFrom(this.client.send<Out>(name, new LogRequest(request)));
  }

  /** What holds events or users stands sealed on the log. */
  private async answerToSealed<Out>(
    name: OperationName,
    request: LogRequestOptions<Request<object>>,
  ): Promise<Out> {
    const { context, in: input } = request.data;
    const data = { context, in: sealMessage(this.seals, input, { ...context, is: 'request' }) };
    const answer = await this.answerTo<SealedMessage>(name, { ...request, data });
    return openOutcome<Out>(this.seals, answer, context);
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
