import type { OrganizationId, WorkspaceFact, WorkspaceId } from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { workspaceDecider } from './workspace.decide';

const workspace = {
  id: 'w1' as WorkspaceId,
  organization: 'o1' as OrganizationId,
  name: 'Shop',
};
const created: WorkspaceFact = { type: 'WorkspaceCreated', data: workspace };
const deleted: WorkspaceFact = { type: 'WorkspaceDeleted', data: {} };
const renamed = (name: string): WorkspaceFact => ({ type: 'WorkspaceRenamed', data: { name } });
const rename = (name: string) => ({ type: 'RenameWorkspace', name }) as const;
const { given } = specify(workspaceDecider);

it('is created once', () => {
  given().when({ type: 'CreateWorkspace', workspace }).then(created);
  given(created).when({ type: 'CreateWorkspace', workspace }).thenNothing();
});

it('is renamed', () => {
  given(created).when(rename('Blog')).then(renamed('Blog'));
  given(created).when(rename('Shop')).thenNothing();
  given(created, renamed('Blog')).when(rename('Blog')).thenNothing();
});

it('is deleted once, and then does not exist', () => {
  given(created).when({ type: 'DeleteWorkspace' }).then(deleted);
  given(created, deleted).when({ type: 'DeleteWorkspace' }).thenRefused('WorkspaceNotExist');
  given(created, deleted).when(rename('Blog')).thenRefused('WorkspaceNotExist');
  given().when(rename('Blog')).thenRefused('WorkspaceNotExist');
});
