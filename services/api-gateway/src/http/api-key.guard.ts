import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  ConfigurationPicture,
  type NewApiKey,
  type OrganizationState,
  Refusal,
  type WorkspaceId,
} from '@penstock/contracts';
import { ACCESS, type Access, includes } from './access';
import { ApiKeys, type KeyOwner } from './api-keys';
import { requestOf } from './caller';

const BEARER = /^bearer +(\S+)$/i;

/** Checks in this order: key, scope, organization, workspace. Nothing has been said about the body before. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeys,
    private readonly picture: ConfigurationPicture,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const access =
      this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [
        context.getHandler(),
        context.getClass(),
      ]) ?? (request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write');
    if (access === 'public') return true;
    const { key, organization } = await this.ownerOf(request.headers.authorization);
    if (!includes(key.scope, access)) throw new Refusal('Forbidden');
    if (!organization.enabled) throw new Refusal('OrganizationDisabled');
    const workspace = this.workspaceOf(key, organization, request.header('penstock-workspace'));
    request.caller = { key: key.id, scope: key.scope, organization, workspace };
    return true;
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
    { id: organization }: OrganizationState,
    named: string | undefined,
  ): WorkspaceId {
    if (bound !== null && named !== undefined && named !== bound)
      throw new Refusal('WorkspaceNotExist');
    const chosen = bound ?? named ?? this.onlyWorkspaceOf(organization);
    const workspace = chosen === undefined ? undefined : this.picture.workspace(chosen);
    if (workspace?.organization !== organization) throw new Refusal('WorkspaceNotExist');
    return workspace.id;
  }

  private onlyWorkspaceOf(organization: string): string | undefined {
    const [only, ...others] = this.picture.workspacesOf(organization);
    return others.length === 0 ? only?.id : undefined;
  }
}

const hasExpired = ({ expiresAt }: NewApiKey): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();
