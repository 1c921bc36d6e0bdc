import type {
  ApiKeyId,
  NewApiKey,
  OrganizationFact,
  OrganizationId,
  WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { organizationDecider, workspaceDecider } from './organization.decide';

const id = 'o1' as OrganizationId;
const key = (hash: string): NewApiKey => ({
  id: `key-${hash}` as ApiKeyId,
  name: 'first',
  scope: 'admin',
  workspace: null,
  hash,
  hint: 'pk_a…wxyz',
  expiresAt: null,
});
const created: OrganizationFact = { type: 'OrganizationCreated', data: { id, name: 'Acme' } };
const keyCreated = (hash: string): OrganizationFact => ({ type: 'ApiKeyCreated', data: key(hash) });
const { given } = specify(organizationDecider);

it('an organization is created once, with its first key', () => {
  const command = { type: 'CreateOrganization', id, name: 'Acme', key: key('a') } as const;
  given().when(command).then(created, keyCreated('a'));
  given(created, keyCreated('a')).when(command).thenNothing();
});

it('a key is added once', () => {
  given(created, keyCreated('a'))
    .when({ type: 'CreateApiKey', key: key('b') })
    .then(keyCreated('b'));
  given(created, keyCreated('a'))
    .when({ type: 'CreateApiKey', key: key('a') })
    .thenNothing();
});

it('a workspace is created once', () => {
  const workspace = { id: 'w1' as WorkspaceId, organization: id, name: 'Shop' };
  const fact = { type: 'WorkspaceCreated', data: workspace } as const;
  specify(workspaceDecider).given().when(workspace).then(fact);
  specify(workspaceDecider).given(fact).when(workspace).thenNothing();
});
