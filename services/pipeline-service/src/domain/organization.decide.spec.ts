import type {
  ApiKeyId,
  NewApiKey,
  OrganizationFact,
  OrganizationId,
  WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { organizationDecider } from './organization.decide';

const id = 'o1' as OrganizationId;
const [shop, blog] = ['w1', 'w2'] as WorkspaceId[];
const key = (hash: string, workspace: WorkspaceId | null = null): NewApiKey => ({
  id: `key-${hash}` as ApiKeyId,
  name: 'first',
  scope: 'admin',
  workspace,
  hash,
  hint: 'pk_a…wxyz',
  expiresAt: null,
});
const created: OrganizationFact = { type: 'OrganizationCreated', data: { id, name: 'Acme' } };
const keyCreated = (...of: Parameters<typeof key>): OrganizationFact => ({
  type: 'ApiKeyCreated',
  data: key(...of),
});
const keyRevoked = (hash: string): OrganizationFact => ({
  type: 'ApiKeyRevoked',
  data: { id: key(hash).id },
});
const statusSet = (enabled: boolean): OrganizationFact => ({
  type: 'OrganizationStatusSet',
  data: { enabled },
});
const { given } = specify(organizationDecider);

it('an organization is created once, with its first key', () => {
  const command = { type: 'CreateOrganization', id, name: 'Acme', key: key('a') } as const;
  given().when(command).then(created, keyCreated('a'));
  given(created, keyCreated('a')).when(command).thenNothing();
});

describe('a key', () => {
  const create = (hash: string, maxKeys = 2) =>
    ({ type: 'CreateApiKey', key: key(hash), maxKeys }) as const;
  const revoke = (hash: string, within: WorkspaceId | null = null) =>
    ({ type: 'RevokeApiKey', id: key(hash).id, within }) as const;

  it('is added once', () => {
    given(created, keyCreated('a')).when(create('b')).then(keyCreated('b'));
    given(created, keyCreated('a')).when(create('a', 1)).thenNothing();
  });

  it('is refused at the limit, for which revoked keys do not count', () => {
    const two = [created, keyCreated('a'), keyCreated('b')];
    given(...two)
      .when(create('c'))
      .thenRefused('KeysLimitReached');
    given(...two, keyRevoked('a'))
      .when(create('c'))
      .then(keyCreated('c'));
  });

  it('of a workspace is revoked with the workspace', () => {
    const keys = [
      keyCreated('a'),
      keyCreated('b', shop),
      keyCreated('c', blog),
      keyCreated('d', shop),
    ];
    given(created, ...keys)
      .when({ type: 'RevokeKeysOf', workspace: shop as WorkspaceId })
      .then(keyRevoked('b'), keyRevoked('d'));
    given(created, keyCreated('a'))
      .when({ type: 'RevokeKeysOf', workspace: shop as WorkspaceId })
      .thenNothing();
  });

  it('is revoked once', () => {
    given(created, keyCreated('a')).when(revoke('a')).then(keyRevoked('a'));
    given(created, keyCreated('a'), keyRevoked('a')).when(revoke('a')).thenRefused('KeyNotExist');
  });

  it.each([
    [shop, shop, true],
    [shop, blog, false],
    [shop, null, false],
    [null, shop, true],
    [null, null, true],
  ])(
    'revoking within workspace %s a key of workspace %s is allowed: %s',
    (within, of, isAllowed) => {
      const outcome = given(created, keyCreated('a', of)).when(revoke('a', within));
      if (isAllowed) outcome.then(keyRevoked('a'));
      else outcome.thenRefused('KeyNotExist');
    },
  );
});

it('an organization is disabled and enabled', () => {
  const set = (enabled: boolean) => ({ type: 'SetOrganizationStatus', enabled }) as const;
  given(created).when(set(true)).thenNothing();
  given(created).when(set(false)).then(statusSet(false));
  given(created, statusSet(false)).when(set(false)).thenNothing();
  given(created, statusSet(false)).when(set(true)).then(statusSet(true));
});
