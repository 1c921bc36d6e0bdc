import type { OrganizationId, WorkspaceId, WorkspaceState } from '@penstock/contracts';
import type { Stream } from '@penstock/event-sourcing';
import { existingWorkspace } from './existing-workspace';

const WORKSPACE: WorkspaceState = {
  kind: 'workspace',
  id: 'workspace1' as WorkspaceId,
  organization: 'organization1' as OrganizationId,
  version: 3,
  name: 'Shop',
  deleted: false,
};

/** Looks for the workspace as one organization, where it is recorded with a state, or not at all. */
const found = (state: WorkspaceState | undefined, organization = 'organization1') =>
  existingWorkspace(
    {
      read: <State>(streams: readonly string[]) =>
        Promise.resolve(
          streams.map((): Stream<State> => ({ state: state as State | undefined, version: 3 })),
        ),
    },
    WORKSPACE.id,
    organization,
  );

const NONE = { code: 'WorkspaceNotExist' };

it('is found by its organization', async () => {
  expect(await found(WORKSPACE)).toMatchObject({ version: 3, workspace: WORKSPACE });
});

it('does not exist for another organization', () =>
  expect(found(WORKSPACE, 'organization2')).rejects.toMatchObject(NONE));

it('does not exist once it is deleted, or before it is created', async () => {
  await expect(found({ ...WORKSPACE, deleted: true })).rejects.toMatchObject(NONE);
  await expect(found(undefined)).rejects.toMatchObject(NONE);
});
