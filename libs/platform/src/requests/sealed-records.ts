import {
  type DataKey,
  type OperationName,
  OPERATIONS,
  Refusal,
  type RequestContext,
  type WorkspaceId,
} from '@penstock/contracts';
import type { LogRequestContext } from '@penstock/messaging';
import {
  openMessage,
  type SealedMessage,
  sealOutcome,
  Seals,
  type SecretBox,
} from '@penstock/runtime';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { catchError, from, map, type Observable, of, switchMap } from 'rxjs';
import { unavailable } from './unavailable';

/** A received request, whose input is opened before it is handled. */
interface Arrived {
  readonly context: RequestContext;
  in: unknown;
}

/**
 * Opens requests that are sealed since they hold events or users, and seals their answers, also refusals, which may
 * quote them.
 */
export class SealedRecords implements NestInterceptor<object, unknown> {
  /** @param sealsOf the seals of a workspace; rejects with a Refusal when it has no key, or when that cannot be read. */
  constructor(private readonly sealsOf: (workspace: WorkspaceId) => Promise<Seals>) {}

  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<unknown> {
    const rpc = context.switchToRpc();
    const { pattern } = rpc.getContext<LogRequestContext>();
    if (!OPERATIONS[pattern as OperationName].carriesRecords) return next.handle();
    const request = rpc.getData<Arrived>();
    const { workspace, commandId } = request.context;
    return from(this.sealsOf(workspace)).pipe(
      switchMap((seals) => {
        const place = { workspace, commandId };
        const sealed = request.in as SealedMessage;
        request.in = openMessage(seals, sealed, { ...place, is: 'request' });
        return next.handle().pipe(
          catchError((error: unknown) => {
            if (error instanceof Refusal) return of(error);
            throw error;
          }),
          map((answered) => sealOutcome(seals, answered, place)),
        );
      }),
    );
  }
}

/** Where a process that follows the configuration finds the keys of workspaces. */
export interface FollowedKeys {
  readonly secrets: SecretBox;
  /** The key of a workspace in the configuration that this process has applied. */
  readonly dataKey: (workspace: string) => DataKey | undefined;
  /** Resolves when this process has applied what the log held at the call. */
  readonly caughtUp: () => Promise<void>;
}

/** The seals of a workspace as {@link SealedRecords} needs them, also of one that was created a moment ago. */
export const followedSeals =
  ({ secrets, dataKey, caughtUp }: FollowedKeys) =>
  async (workspace: WorkspaceId): Promise<Seals> => {
    if (dataKey(workspace) === undefined)
      await caughtUp().catch(() => {
        throw unavailable('the configuration cannot be read');
      });
    if (dataKey(workspace) === undefined) throw new Refusal('WorkspaceNotExist');
    return new Seals(secrets, dataKey);
  };
