import {
  type ApiKeyId,
  instant,
  type NewApiKey,
  type OrganizationId,
  type WorkspaceId,
} from '@penstock/contracts';
import {
  type Decision,
  type EventStore,
  FactRow,
  handleCommand,
  type Reading,
} from '@penstock/event-sourcing';
import { newApiKey, newId, type SecretBox } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
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

type Store = EventStore<EntityManager>;

/** What the first start was answered. */
interface Founded {
  readonly organization: string;
  readonly keyId: string;
}

const cause = (commandId: string) => ({
  commandId,
  actor: 'system',
  requestId: commandId,
  time: instant(new Date()),
});

const hintOf = (key: string): string => `${key.slice(0, 4)}…${key.slice(-4)}`;

const knownOrganization = async ({ db }: Store): Promise<string | undefined> => {
  const row = await db.findOne(FactRow, {
    where: { type: 'OrganizationCreated' },
    order: { position: 'ASC' },
  });
  return row?.stream.slice(organizationStream('').length);
};

/** The decision of the first start: one organization with one workspace and one admin key. */
const found = async (
  reading: Reading<EntityManager>,
  key: NewApiKey,
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
    { id: workspaceId, organization: id, name: 'Default' },
    workspace.state,
  );
  const reply: Founded = { organization: id, keyId: key.id };
  return { streams: [appendTo(organization, founding), appendTo(workspace, opening)], reply };
};

/** Unless the organization has the key. */
const addKey = async (store: Store, organization: string, key: NewApiKey): Promise<void> => {
  await handleCommand(store, cause(`bootstrap-${key.id}`), projectViews, async (reading) => {
    const own = await load(reading, organizationDecider, organizationStream(organization));
    const facts = organizationDecider.decide({ type: 'CreateApiKey', key }, own.state);
    return { streams: [appendTo(own, facts)], reply: {} };
  });
};

/**
 * Makes the organization, the workspace and the admin key of a new installation; at later starts adds the key
 * that was given, when it is another one. A key that was made and not seen (the process died before it was shown)
 * is replaced by giving one.
 */
export const bootstrap = async (
  store: Store,
  secrets: SecretBox,
  { key: given }: Bootstrap,
): Promise<Bootstrapped> => {
  const plain = given ?? newApiKey();
  const key: NewApiKey = {
    id: newId() as ApiKeyId,
    name: 'bootstrap',
    scope: 'admin',
    workspace: null,
    hash: secrets.keyedHash(plain),
    hint: hintOf(plain),
    expiresAt: null,
  };
  const known = await knownOrganization(store);
  const founded =
    known === undefined
      ? await handleCommand(store, cause(FIRST_START), projectViews, (reading) =>
          found(reading, key),
        )
      : undefined;
  const first = founded?.reply as Founded | undefined;
  if (first?.keyId === key.id)
    return { isFirstStart: true, ...(given === undefined && { newKey: plain }) };
  const organization = known ?? first?.organization;
  if (given !== undefined && organization !== undefined) await addKey(store, organization, key);
  return { isFirstStart: false };
};
