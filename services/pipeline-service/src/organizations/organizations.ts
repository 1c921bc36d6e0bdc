import type {
  ApiKeyId,
  Nothing,
  OrganizationFact,
  OrganizationView,
  Recorded,
  RequestContext,
} from '@penstock/contracts';
import { EventStore, type Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { checkVersion } from '../command-handling/check-version';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load, type Loaded } from '../command-handling/decide-on';
import { existingWorkspace, notDeleted } from '../command-handling/existing-workspace';
import type { RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import {
  type Organization,
  type OrganizationCommand,
  organizationDecider,
  organizationStream,
} from '../domain/organization.decide';

/** A key is made and revoked; nothing of it changes in between. */
const API_KEY_VERSION = 1;

/** What can be done with an organization and its API keys. */
@Injectable()
export class Organizations {
  constructor(
    private readonly configuration: Configuration,
    private readonly limits: LimitChecks,
    private readonly store: EventStore<EntityManager>,
  ) {}

  async get({ context }: RequestFor<'GetOrganization'>): Promise<OrganizationView> {
    const { state, version } = await organization(this.store, context);
    if (state === null) throw new Error('the request is of no organization');
    const { id, name, enabled, apiKeys } = state;
    const use = await this.limits.counts(this.store.db, id);
    const { limits } = this.limits;
    return { id, version, name, enabled, limits, use: { ...use, keys: apiKeys.length } };
  }

  createKey({
    context,
    in: key,
  }: RequestFor<'CreateApiKey'>): Promise<Recorded<{ readonly id: ApiKeyId }>> {
    const { keys: maxKeys } = this.limits.limits;
    return this.configuration.execute(context, async (reading) => {
      if (key.workspace !== null)
        await existingWorkspace(reading, key.workspace, context.organization);
      const own = await organization(reading, context);
      return {
        streams: [changed(own, { type: 'CreateApiKey', key, maxKeys })],
        reply: { id: key.id },
        verify: (db) =>
          key.workspace === null ? Promise.resolve() : notDeleted(db, key.workspace),
      };
    });
  }

  revokeKey({
    context,
    in: { id, within },
  }: RequestFor<'RevokeApiKey'>): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const own = await organization(reading, context);
      const revocation = changed(own, { type: 'RevokeApiKey', id, within });
      checkVersion(context, API_KEY_VERSION);
      return { streams: [revocation], reply: {} };
    });
  }

  setStatus({
    context,
    in: { enabled },
  }: RequestFor<'SetOrganizationStatus'>): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const own = await organization(reading, context);
      checkVersion(context, own.version);
      const status = changed(own, { type: 'SetOrganizationStatus', enabled });
      return { streams: [status], reply: {} };
    });
  }
}

const organization = (
  reading: Pick<Reading<EntityManager>, 'read'>,
  { organization: id }: RequestContext,
): Promise<Loaded<Organization, OrganizationFact>> =>
  load(reading, organizationDecider, organizationStream(id));

const changed = (own: Loaded<Organization, OrganizationFact>, command: OrganizationCommand) =>
  appendTo(own, organizationDecider.decide(command, own.state));
