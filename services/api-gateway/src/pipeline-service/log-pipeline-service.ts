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
  requestTopicOf,
  slowLimitMs,
} from '@penstock/contracts';
import {
  type LogClient,
  LogRequest,
  type LogRequestOptions,
  RequestFailed,
} from '@penstock/messaging';
import { openOutcome, sealMessage, type SealedMessage, type Seals } from '@penstock/runtime';
import { FairTurns, TurnRefused } from '@penstock/turns';
import { firstValueFrom } from 'rxjs';
import { includes } from '../auth/access';
import { HttpRefusal, unavailable } from '../http/http-refusal';
import { within } from '../replica/within';
import { type RequestMetadata, PipelineService } from './pipeline-service';

/**
 * Limits of the commands that this gateway has in the log or under way (`places`), and of those that wait to be sent.
 * The log is first in, first out, so fairness needs a short queue there.
 */
const COMMAND_TURNS = { places: 64, maxWaitingOfShare: 512, maxWaiting: 4_096 };
/** Time in milliseconds that a command waits to be sent. */
const TURN_TIMEOUT_MS = 10_000;

/** Time in milliseconds within which the replica must apply an answered change. */
const SEEN_TIMEOUT_MS = 5_000;

/** Calls the pipeline service over the log. */
export class LogPipelineService extends PipelineService {
  private readonly turns = new FairTurns(COMMAND_TURNS);

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
    metadata: RequestMetadata,
  ): Promise<Out> {
    const { caller, requestId, expectedVersion, isDryRun, commandId: given } = metadata;
    const { kind, scope, isVersioned, carriesRecords } = OPERATIONS[name];
    // The guard checks the scope that the route declares; this checks the operation that is actually performed.
    if (!includes(caller.scope, scope)) throw new Refusal('Forbidden');
    if (kind === 'command' && !isVersioned && expectedVersion !== undefined)
      throw new Refusal('Conflict', { message: 'If-Match is set, but the object has no version' });
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
    const takesLong = isSlow(name, input);
    const signal = metadata.gone?.();
    const request = {
      key,
      commandId,
      data,
      topic: requestTopicOf(name),
      ...(takesLong && { timeoutMs: slowLimitMs(name) }),
      // A quick command that was begun is done before a withdrawal could reach it, and one with an Idempotency-Key goes
      // on: its repetition is to get its answer.
      ...((kind === 'query' || (takesLong && given === undefined)) && { signal }),
    };
    const answer = (): Promise<Out> =>
      carriesRecords ? this.answerToSealed(name, request) : this.answerTo(name, request);
    try {
      // What takes long has turns of its own, where it is handled.
      if (kind === 'query' || takesLong) return await answer();
      const share = caller.workspace === '' ? caller.organization.id : caller.workspace;
      return await this.inTurn(share, signal, answer);
    } catch (error) {
      throw toClientError(error);
    }
  }

  /** @throws HttpRefusal ServiceUnavailable when too many wait, or the turn does not come in time. */
  private async inTurn<Out>(
    share: string,
    gone: AbortSignal | undefined,
    work: () => Promise<Out>,
  ): Promise<Out> {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(unavailable('too many changes are under way'));
    }, TURN_TIMEOUT_MS);
    const signal = gone === undefined ? late.signal : AbortSignal.any([gone, late.signal]);
    try {
      return await this.turns.take({ share, signal }, () => {
        clearTimeout(timer);
        return work();
      });
    } catch (error) {
      throw error instanceof TurnRefused ? unavailable('too many changes are under way') : error;
    } finally {
      clearTimeout(timer);
    }
  }

  private answerTo<Out>(name: OperationName, request: LogRequestOptions<object>): Promise<Out> {
    return firstValueFrom(this.client.send<Out>(name, new LogRequest(request)));
  }

  /** Sends a request that contains events or users: both it and the reply are sealed on the log. */
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

/**
 * Maps errors of the pipeline service and of the log. A RangeError means that the request exceeds the size of a
 * message.
 */
const toClientError = (error: unknown): unknown => {
  if (error instanceof RequestFailed) return refusalIn(error);
  if (!(error instanceof RangeError)) return error;
  return new HttpRefusal('PayloadTooLarge', {
    because: 'it is too large to be passed on',
    cause: error,
  });
};

const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(REFUSALS, code);

/** Converts a failed request into the refusal of its rule; any other failure is returned unchanged. */
const refusalIn = (failed: RequestFailed): Error => {
  const { code, message, kind, details } = failed;
  if (!isRefusalCode(code)) return failed;
  return new Refusal(code, {
    message,
    kind: (kind ?? REFUSALS[code].kind) as RefusalKind,
    details: (details ?? []) as readonly RefusalDetail[],
  });
};
