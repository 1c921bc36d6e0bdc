import type { WorkspaceState } from '@penstock/contracts';
import {
  type EventStore,
  handleCommand,
  type Reading,
  type StreamAppend,
} from '@penstock/event-sourcing';
import { newId } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { appendTo, load } from '../command-handling/decide-on';
import { organizationDecider, organizationStream } from '../domain/organization.decide';
import { projectViews } from '../read-model/project-views';
import { WorkspaceRow } from '../read-model/workspace.row';

type Owned = Pick<WorkspaceState, 'id' | 'organization'>;

/** Returns the append that revokes all API keys of a workspace; it is without facts when there are none. */
export const revocationsOf = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  { id, organization }: Owned,
): Promise<StreamAppend> => {
  const owner = await load(reading, organizationDecider, organizationStream(organization));
  const command = { type: 'RevokeKeysOf', workspace: id } as const;
  return appendTo(owner, organizationDecider.decide(command, owner.state));
};

/** Revokes the remaining keys of deleted workspaces: older versions did not revoke them with the workspace. */
export const revokeLeftKeys = async (store: EventStore<EntityManager>): Promise<void> => {
  const deleted = await store.db.findBy(WorkspaceRow, { deleted: true });
  for (const { state } of deleted) {
    const { facts } = await revocationsOf(store, state);
    if (facts.length === 0) continue;
    const commandId = newId();
    const cause = { commandId, actor: 'system', requestId: commandId };
    await handleCommand(store, cause, projectViews, async (reading) => ({
      streams: [await revocationsOf(reading, state)],
      reply: {},
    }));
  }
};
