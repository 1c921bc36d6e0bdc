import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import {
  ConfigurationReplica,
  type NewApiKey,
  Refusal,
  type WorkspaceId,
  type WorkspaceState,
} from '@penstock/contracts';
import { BodyShares } from '../http/body-shares';
import { Holding } from '../http/holding';
import { readAheadBytes } from '../http/read-body';
import { CurrentReplica } from '../replica/current-replica';
import { includes, type Needed, neededFor } from './access';
import { ApiKeys, type KeyOwner } from './api-keys';
import { type ApiRequest, type Caller, requestOf } from './caller';
import { hasExpired } from './has-expired';

const BEARER = /^bearer +(\S+)$/i;

/**
 * Checks, in this order: key, scope, organization, workspace. Runs before the body is read. The replica is first
 * brought up to the end of the log at the time of the request, so that every answered change is in effect.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeys,
    private readonly replica: ConfigurationReplica,
    private readonly current: CurrentReplica,
    private readonly shares: BodyShares,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const needed = neededFor(context.getHandler(), context.getClass(), request.method);
    if (needed.access === 'public') return true;
    const key = BEARER.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!this.keys.isKeyForm(key)) throw new Refusal('Unauthorized');
    await this.lookUp(request);
    request.caller = this.callerOf(request, this.ownerOf(key), needed);
    return true;
  }

  /**
   * Brings the replica up to date. The body is not read meanwhile; the bytes that may have arrived already are charged
   * to the share.
   */
  private async lookUp(request: ApiRequest): Promise<void> {
    const holding = new Holding(this.shares.api);
    try {
      holding.add(readAheadBytes(request));
      await this.current.toPresentEnd();
    } finally {
      holding.release();
    }
  }

  private callerOf(
    request: ApiRequest,
    { key, organization }: KeyOwner,
    { access, isOfOrganization, needsOrganizationKey, isEvenDisabled, isEvenDeleted }: Needed,
  ): Caller {
    if (access !== 'public' && !includes(key.scope, access)) throw new Refusal('Forbidden');
    if (needsOrganizationKey && key.workspace !== null) throw new Refusal('Forbidden');
    if (!organization.enabled && !isEvenDisabled) throw new Refusal('OrganizationDisabled');
    const workspace = isOfOrganization
      ? ('' as WorkspaceId)
      : this.workspaceOf(
          key,
          organization.id,
          request.header('penstock-workspace'),
          isEvenDeleted && key.workspace === null,
        );
    return { key: key.id, scope: key.scope, organization, boundTo: key.workspace, workspace };
  }

  private ownerOf(key: string): KeyOwner {
    const owner = this.keys.find(key);
    if (owner === undefined || hasExpired(owner.key)) throw new Refusal('Unauthorized');
    return owner;
  }

  /**
   * Chooses the workspace: a bound key acts on its own, an organization key on the one that the header names, or on the
   * only one.
   */
  private workspaceOf(
    { workspace: bound }: NewApiKey,
    organization: string,
    named: string | undefined,
    isEvenDeleted: boolean,
  ): WorkspaceId {
    if (bound !== null && named !== undefined && named !== bound)
      throw new Refusal('WorkspaceNotExist');
    const chosen = bound ?? named ?? this.onlyWorkspaceOf(organization);
    const workspace = chosen === undefined ? undefined : this.found(chosen, isEvenDeleted);
    if (workspace?.organization !== organization) throw new Refusal('WorkspaceNotExist');
    return workspace.id;
  }

  private found(id: string, isEvenDeleted: boolean): WorkspaceState | undefined {
    return isEvenDeleted ? this.replica.workspaceEver(id) : this.replica.workspace(id);
  }

  private onlyWorkspaceOf(organization: string): string | undefined {
    const [only, ...others] = this.replica.workspacesOf(organization);
    return others.length === 0 ? only?.id : undefined;
  }
}
