import type { NewApiKey, OrganizationId, WorkspaceId } from '@penstock/contracts';
import {
  type Decision,
  type EventStore,
  handleCommand,
  type Reading,
} from '@penstock/event-sourcing';
import { newApiKey, newId, type SecretBox } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { appendTo, load } from '../command-handling/decide-on';
import type { DataKeys } from '../data-keys/data-keys';
import { organizationDecider, organizationStream } from '../domain/organization.decide';
import { workspaceDecider, workspaceStream } from '../domain/workspace.decide';
import { projectViews } from '../read-model/project-views';
import { addOperatorKey } from './add-operator-key';
import { adminKey } from './admin-key';
import { knownOrganization } from './known-organization';

/** The command id of the first start. When several processes start at once, one of them wins. */
const FIRST_START = 'first-start';

export interface Bootstrap {
  /** The API key that the operator has set. Absent: the first start generates one. */
  readonly key?: string;
}

export interface Bootstrapped {
  /** The generated key, to be shown once; absent when the operator has set one, or at a later start. */
  readonly newKey?: string;
}

type Store = EventStore<EntityManager>;

/** The recorded reply of the first start. */
interface Founded {
  readonly organization: string;
  readonly keyId: string;
}

const cause = (commandId: string) => ({
  commandId,
  actor: 'system',
  requestId: commandId,
});

/** Decides the first start: one organization with one workspace and one admin key. */
const found = async (
  reading: Reading<EntityManager>,
  key: NewApiKey,
  dataKeys: DataKeys,
): Promise<Decision<EntityManager>> => {
  const id = newId() as OrganizationId;
  const workspaceId = newId() as WorkspaceId;
  const organization = await load(reading, organizationDecider, organizationStream(id));
  const workspace = await load(reading, workspaceDecider, workspaceStream(workspaceId));
  const founding = organizationDecider.decide(
    { type: 'CreateOrganization', id, name: 'Default', key },
    organization.state,
  );
  const opening = workspaceDecider.decide(
    {
      type: 'CreateWorkspace',
      workspace: { id: workspaceId, organization: id, name: 'Default' },
    },
    workspace.state,
  );
  const reply: Founded = { organization: id, keyId: key.id };
  const { key: dataKey } = dataKeys.make(workspaceId);
  return {
    streams: [appendTo(organization, founding), appendTo(workspace, opening)],
    reply,
    verify: (db) => dataKeys.keep(db, dataKey),
  };
};

/** Whether the organization has or had the key: a revoked key is not added again. */
const wasMade = async (
  reading: Reading<EntityManager>,
  stream: string,
  { hash }: NewApiKey,
): Promise<boolean> => {
  const made = await reading.db.query<object[]>(
    `SELECT FROM penstock.facts WHERE stream = $1 AND type = 'ApiKeyCreated' AND data->>'hash' = $2`,
    [stream, hash],
  );
  return made.length > 0;
};

const addKey = async (store: Store, organization: string, key: NewApiKey): Promise<void> => {
  const stream = organizationStream(organization);
  await handleCommand(store, cause(`bootstrap-${key.id}`), projectViews, async (reading) => {
    if (await wasMade(reading, stream, key)) return { streams: [], reply: {} };
    return addOperatorKey(reading, stream, key);
  });
};

/**
 * Creates the organization, the workspace and the admin key of a new installation. Later starts add the operator's key,
 * unless it was added before. For an operator who never saw the generated key there is `recoverKey`.
 */
export const bootstrap = async (
  store: Store,
  secrets: SecretBox,
  dataKeys: DataKeys,
  { key: given }: Bootstrap,
): Promise<Bootstrapped> => {
  const plain = given ?? newApiKey();
  const key = adminKey('bootstrap', plain, secrets);
  const known = await knownOrganization(store);
  const founded =
    known === undefined
      ? await handleCommand(store, cause(FIRST_START), projectViews, (reading) =>
          found(reading, key, dataKeys),
        )
      : undefined;
  const first = founded?.reply as Founded | undefined;
  if (first?.keyId === key.id) return given === undefined ? { newKey: plain } : {};
  const organization = known ?? first?.organization;
  if (given !== undefined && organization !== undefined) await addKey(store, organization, key);
  return {};
};
