import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import {
  ConfigurationPicture,
  type NewApiKey,
  Refusal,
  type RefusalCode,
  type WorkspaceId,
  type WorkspaceState,
} from '@penstock/contracts';
import { FreshPicture } from '../configuration/fresh-picture';
import { includes, type Needed, neededFor } from './access';
import { ApiKeys, type KeyOwner } from './api-keys';
import { type ApiRequest, type Caller, requestOf } from './caller';

const BEARER = /^bearer +(\S+)$/i;

/** What a change that this gateway has not seen yet may have made untrue. */
const PASSING: ReadonlySet<RefusalCode> = new Set(['OrganizationDisabled', 'WorkspaceNotExist']);

/** Checks in this order: key, scope, organization, workspace. Nothing has been said about the body before. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeys,
    private readonly picture: ConfigurationPicture,
    private readonly fresh: FreshPicture,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const needed = neededFor(context.getHandler(), context.getClass(), request.method);
    if (needed.access === 'public') return true;
    await this.fresh.require();
    try {
      request.caller = await this.callerOf(request, needed);
    } catch (error) {
      if (!(error instanceof Refusal) || !PASSING.has(error.code)) throw error;
      await this.fresh.toPresentEnd();
      request.caller = await this.callerOf(request, needed);
    }
    return true;
  }

  private async callerOf(
    request: ApiRequest,
    { access, isOfOrganization, needsOrganizationKey, isEvenDisabled, isEvenDeleted }: Needed,
  ): Promise<Caller> {
    const { key, organization } = await this.ownerOf(request.headers.authorization);
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

  private async ownerOf(authorization: string | undefined): Promise<KeyOwner> {
    const key = BEARER.exec(authorization ?? '')?.[1] ?? '';
    const owner = this.keys.find(key) ?? (await this.keys.findNew(key));
    if (owner === undefined || hasExpired(owner.key)) throw new Refusal('Unauthorized');
    return owner;
  }

  /** A key of one workspace acts on it; a key of the organization on the one that the header names. */
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
    return isEvenDeleted ? this.picture.workspaceEver(id) : this.picture.workspace(id);
  }

  private onlyWorkspaceOf(organization: string): string | undefined {
    const [only, ...others] = this.picture.workspacesOf(organization);
    return others.length === 0 ? only?.id : undefined;
  }
}

const hasExpired = ({ expiresAt }: NewApiKey): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();
