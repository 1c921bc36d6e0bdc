import {
  type ApiKeyId,
  instant,
  type OrganizationFact,
  type OrganizationId,
  type OrganizationState,
  type WorkspaceId,
} from '@penstock/contracts';
import { type EventStore, FactRow, handleCommand } from '@penstock/event-sourcing';
import { newApiKey, newId, type SecretBox } from '@penstock/runtime';
import type { DataSource, EntityManager } from 'typeorm';
import { appendTo, load } from '../decide-on';
import { projectViews } from '../project-views';
import {
  organizationDecider,
  organizationStream,
  workspaceDecider,
  workspaceStream,
} from './organization.decide';

/** The command id of the first start: several processes may start at once, one of them wins. */
const FIRST_START = 'first-start';

export interface Bootstrap {
  /** The API key that the operator has set; absent: one is made at the first start. */
  readonly key?: string;
}

export interface Bootstrapped {
  /** The key that was made, to be shown once; absent when it was given, or at a later start. */
  readonly newKey?: string;
  readonly isFirstStart: boolean;
}

const cause = (commandId: string) => ({
  commandId,
  actor: 'system',
  requestId: commandId,
  time: instant(new Date()),
});

const hintOf = (key: string): string => `${key.slice(0, 4)}…${key.slice(-4)}`;

const organizationId = async (database: DataSource): Promise<string | undefined> => {
  const row = await database.manager.findOneBy(FactRow, { type: 'OrganizationCreated' });
  return row?.stream.slice(organizationStream('').length);
};

/** Makes the organization, the workspace and the admin key of a new installation. */
export const bootstrap = async (
  store: EventStore<EntityManager>,
  database: DataSource,
  secrets: SecretBox,
  { key: given }: Bootstrap,
): Promise<Bootstrapped> => {
  const key = given ?? newApiKey();
  const apiKey = {
    id: newId() as ApiKeyId,
    name: 'bootstrap',
    scope: 'admin',
    workspace: null,
    hash: secrets.keyedHash(key),
    hint: hintOf(key),
    expiresAt: null,
  } as const;
  const known = await organizationId(database);
  if (known !== undefined) {
    if (given !== undefined) await addKey(store, known, apiKey);
    return { isFirstStart: false };
  }
  const id = newId() as OrganizationId;
  const { reply } = await handleCommand(store, cause(FIRST_START), projectViews, async (read) => {
    const organization = await load(read, organizationDecider, organizationStream(id));
    const workspaceId = newId() as WorkspaceId;
    const workspace = await load(read, workspaceDecider, workspaceStream(workspaceId));
    return {
      streams: [
        appendTo(
          organization,
          organizationDecider.decide(
            { type: 'CreateOrganization', id, name: 'Default', key: apiKey },
            organization.state,
          ),
        ),
        appendTo(
          workspace,
          workspaceDecider.decide(
            { id: workspaceId, organization: id, name: 'Default' },
            workspace.state,
          ),
        ),
      ],
      reply: { keyId: apiKey.id },
    };
  });
  const isMine = (reply as { keyId: string }).keyId === apiKey.id;
  return { isFirstStart: isMine, ...(isMine && given === undefined && { newKey: key }) };
};

const addKey = async (
  store: EventStore<EntityManager>,
  organization: string,
  key: OrganizationState['apiKeys'][number],
): Promise<void> => {
  await handleCommand(store, cause(`bootstrap-${key.hash}`), projectViews, async (read) => {
    const own = await load<OrganizationState | null, never, OrganizationFact>(
      read,
      { ...organizationDecider, decide: () => [] },
      organizationStream(organization),
    );
    const facts = organizationDecider.decide({ type: 'CreateApiKey', key }, own.state);
    return { streams: [appendTo(own, facts)], reply: { keyId: key.id } };
  });
};
