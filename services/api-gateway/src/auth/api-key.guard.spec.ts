import type { ExecutionContext } from '@nestjs/common';
import type {
  ConfigurationReplica,
  NewApiKey,
  OrganizationId,
  OrganizationState,
  WorkspaceId,
  WorkspaceState,
} from '@penstock/contracts';
import type { BodyShares } from '../http/body-shares';
import { ByteShare } from '../http/byte-share';
import type { CurrentReplica } from '../replica/current-replica';
import { EvenDeleted, EvenDisabled, Needs, NeedsOrganizationKey, OfOrganization } from './access';
import { ApiKeyGuard } from './api-key.guard';
import type { ApiKeys } from './api-keys';
import type { Caller } from './caller';

const ONE = 'organization1' as OrganizationId;
const OTHER = 'organization2' as OrganizationId;
const NOW = Date.parse('2026-06-01T12:00:00.000Z');

const organization = (members: Partial<OrganizationState> = {}): OrganizationState =>
  ({ kind: 'organization', id: ONE, enabled: true, apiKeys: [], ...members }) as OrganizationState;

const key = (members: Partial<NewApiKey> = {}): NewApiKey =>
  ({ id: 'key1', scope: 'write', workspace: null, expiresAt: null, ...members }) as NewApiKey;

const workspace = (id: string, members: Partial<WorkspaceState> = {}): WorkspaceState =>
  ({ kind: 'workspace', id, organization: ONE, deleted: false, ...members }) as WorkspaceState;

/** Routes with each requirement. */
class Routes {
  plain(): void {}
  @OfOrganization()
  ofOrganization(): void {}
  @NeedsOrganizationKey()
  byOrganizationKey(): void {}
  @EvenDisabled()
  evenDisabled(): void {}
  @EvenDeleted()
  evenDeleted(): void {}
  @Needs('admin')
  byAdmin(): void {}
  @Needs('public')
  byAll(): void {}
}

interface Sent {
  readonly to?: keyof Routes;
  readonly method?: string;
  readonly authorization?: string;
  readonly named?: string;
  readonly key?: NewApiKey;
  readonly organization?: OrganizationState;
  readonly workspaces?: readonly WorkspaceState[];
}

/** Sends a request. @returns its caller; undefined: the route is public. @throws Refusal */
const callerOf = async ({
  to = 'plain',
  method = 'GET',
  authorization = 'Bearer the-key',
  named,
  key: owned = key(),
  organization: owner = organization(),
  workspaces = [workspace('w1')],
}: Sent = {}): Promise<Caller | undefined> => {
  const request: Record<string, unknown> = {
    ...{ method, headers: { authorization }, socket: {} },
    header: (name: string) => (name === 'penstock-workspace' ? named : undefined),
    readableLength: 0,
  };
  const replica = {
    workspace: (id: string) => workspaces.find((each) => each.id === id && !each.deleted),
    workspaceEver: (id: string) => workspaces.find((each) => each.id === id),
    workspacesOf: (id: string) =>
      workspaces.filter((each) => each.organization === id && !each.deleted),
  } as unknown as ConfigurationReplica;
  const keys = {
    isKeyForm: (text: string) => text.endsWith('key'),
    find: (text: string) => (text === 'the-key' ? { key: owned, organization: owner } : undefined),
  } as unknown as ApiKeys;
  const guard = new ApiKeyGuard(
    keys,
    replica,
    { toPresentEnd: () => Promise.resolve() } as unknown as CurrentReplica,
    { api: new ByteShare(1_000_000) } as BodyShares,
  );
  const isLetIn = await guard.canActivate({
    getHandler: () => Routes.prototype[to],
    getClass: () => Routes,
    switchToHttp: () => ({ getRequest: () => request }),
  } as unknown as ExecutionContext);
  expect(isLetIn).toBe(true);
  return request['caller'] as Caller | undefined;
};

const refused = (sent: Sent, code: string): Promise<void> =>
  expect(callerOf(sent)).rejects.toMatchObject({ code });

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

describe('the key', () => {
  it('is the bearer, in whatever case that is written', async () => {
    expect(await callerOf({ authorization: 'bearer  the-key' })).toMatchObject({ key: 'key1' });
  });

  it.each(['', 'the-key', 'Basic the-key', 'Bearer a-text', 'Bearer another-key'])(
    'is none: %j',
    (authorization) => refused({ authorization }, 'Unauthorized'),
  );

  it('is one until its time is over', async () => {
    const expiring = (atMs: number) => ({
      key: key({ expiresAt: new Date(atMs).toISOString() as never }),
    });
    expect(await callerOf(expiring(NOW + 1))).toMatchObject({ key: 'key1' });
    await refused(expiring(NOW), 'Unauthorized');
  });

  it('is not looked at where the route is public', async () => {
    expect(await callerOf({ to: 'byAll', authorization: '' })).toBeUndefined();
  });
});

describe('the scope', () => {
  it('of a key that reads is enough to read, and for nothing else', async () => {
    const reader = key({ scope: 'read' });
    for (const method of ['GET', 'HEAD'])
      expect(await callerOf({ key: reader, method })).toMatchObject({ scope: 'read' });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      await refused({ key: reader, method }, 'Forbidden');
    await refused({ key: reader, to: 'byAdmin' }, 'Forbidden');
  });

  it('of the organization is that of no key of a workspace', async () => {
    await refused({ key: key({ workspace: 'w1' as never }), to: 'byOrganizationKey' }, 'Forbidden');
    expect(await callerOf({ to: 'byOrganizationKey' })).toMatchObject({ boundTo: null });
  });
});

it('a disabled organization is served by few routes', async () => {
  const disabled = organization({ enabled: false });
  await refused({ organization: disabled }, 'OrganizationDisabled');
  expect(await callerOf({ organization: disabled, to: 'evenDisabled' })).toMatchObject({
    organization: { enabled: false },
  });
});

describe('the workspace', () => {
  const TWO = [workspace('w1'), workspace('w2'), workspace('theirs', { organization: OTHER })];
  const NONE = 'WorkspaceNotExist';

  it('is the one that is named, or the only one', async () => {
    expect(await callerOf({ workspaces: TWO, named: 'w2' })).toMatchObject({ workspace: 'w2' });
    expect(await callerOf()).toMatchObject({ workspace: 'w1' });
    await refused({ workspaces: TWO }, NONE);
    await refused({ workspaces: [] }, NONE);
  });

  it('of another organization does not exist', () =>
    refused({ workspaces: TWO, named: 'theirs' }, NONE));

  it('of a key is its own, whichever others there are', async () => {
    const bound = key({ workspace: 'w1' as WorkspaceId });
    for (const named of [undefined, 'w1'])
      expect(
        await callerOf({ workspaces: TWO, key: bound, ...(named && { named }) }),
      ).toMatchObject({ workspace: 'w1', boundTo: 'w1' });
    await refused({ workspaces: TWO, key: bound, named: 'w2' }, NONE);
  });

  it('that is deleted exists for few routes, and for keys of the organization only', async () => {
    const workspaces = [workspace('w1', { deleted: true })];
    await refused({ workspaces, named: 'w1' }, NONE);
    expect(await callerOf({ workspaces, named: 'w1', to: 'evenDeleted' })).toMatchObject({
      workspace: 'w1',
    });
    await refused(
      { workspaces, key: key({ workspace: 'w1' as WorkspaceId }), to: 'evenDeleted' },
      NONE,
    );
  });

  it('is none where the route acts on the organization', async () => {
    expect(await callerOf({ workspaces: TWO, to: 'ofOrganization', named: 'w2' })).toMatchObject({
      workspace: '',
    });
  });
});
