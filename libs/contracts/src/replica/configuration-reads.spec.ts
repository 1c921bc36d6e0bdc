import type { ApiKeyId, OrganizationId, PipelineId, WorkspaceId } from '../ids';
import type { NewApiKey } from '../organization.facts';
import type { ConfigurationState } from '../state';
import { ConfigurationReads } from './configuration-reads';
import { ConfigurationReplica } from './configuration-replica';
import { connectionState, pipelineState } from './history.fixtures';
import { MAX_PAGE_LENGTH } from './page-from';

const ORGANIZATION = 'organization0001' as OrganizationId;
const WORKSPACE = 'workspace000001' as WorkspaceId;
const HERE = { organization: ORGANIZATION, workspace: WORKSPACE };

const readsOf = (...states: ConfigurationState[]): ConfigurationReads => {
  const replica = new ConfigurationReplica({ isCompressed: true });
  for (const [index, state] of states.entries()) replica.apply({ position: index + 1, state });
  return new ConfigurationReads(replica);
};

const workspace = (id: string, deleted = false): ConfigurationState => ({
  kind: 'workspace',
  id: id as WorkspaceId,
  organization: ORGANIZATION,
  name: id,
  version: 1,
  deleted,
});

const key = (id: string, of: WorkspaceId | null): NewApiKey => ({
  id: id as ApiKeyId,
  name: id,
  scope: 'admin',
  workspace: of,
  hash: `hash of ${id}`,
  hint: 'pk_a…wxyz',
  expiresAt: null,
});

const page = (limit = 10, cursor = '') => ({ limit, cursor });

describe('workspaces', () => {
  const [first, second, gone] = ['workspace000001', 'workspace000002', 'workspace000003'];
  const reads = readsOf(workspace(first), workspace(second), workspace(gone, true));

  it.each([
    [null, page(), [second, first], ''],
    [null, page(1), [second], second],
    [null, page(1, second), [first], ''],
    [first as WorkspaceId, page(), [first], ''],
    [null, { ...page(), search: 'SPACE000001' }, [first], ''],
    [first as WorkspaceId, { ...page(), search: 'space000002' }, [], ''],
  ])('within %s, %j', (within, wanted, ids, cursor) => {
    const list = reads.read('ListWorkspaces', { within, ...wanted }, HERE);
    expect(list.workspaces.map(({ id }) => id)).toEqual(ids);
    expect(list.cursor).toBe(cursor);
  });

  it('of another organization are not there, nor are deleted ones', () => {
    const there = { ...HERE, organization: 'organization0002' as OrganizationId };
    expect(reads.read('GetWorkspace', { id: WORKSPACE }, HERE)).toEqual({
      id: first,
      version: 1,
      name: first,
    });
    const notThere = expect.objectContaining({ code: 'WorkspaceNotExist' }) as Error;
    expect(() => reads.read('GetWorkspace', { id: WORKSPACE }, there)).toThrow(notThere);
    expect(() => reads.read('GetWorkspace', { id: gone as WorkspaceId }, HERE)).toThrow(notThere);
  });
});

it('lists the API keys that may be seen, and nothing that authenticates', () => {
  const keys = [key('key000000001', null), key('key000000002', WORKSPACE)];
  const organization: ConfigurationState = {
    kind: 'organization',
    id: ORGANIZATION,
    name: 'Acme',
    enabled: true,
    apiKeys: keys,
  };
  const reads = readsOf(organization);
  const idsWithin = (within: WorkspaceId | null) =>
    reads.read('ListApiKeys', { within, ...page() }, HERE).keys.map(({ id }) => id);
  expect(idsWithin(null)).toEqual(['key000000002', 'key000000001']);
  expect(idsWithin(WORKSPACE)).toEqual(['key000000002']);
  const { keys: found } = reads.read(
    'ListApiKeys',
    { within: null, ...page(), search: '0001' },
    HERE,
  );
  expect(found.map(({ id }) => id)).toEqual(['key000000001']);
  const list = reads.read('ListApiKeys', { within: null, ...page() }, HERE);
  expect(JSON.stringify(list)).not.toContain('hash');
});

it.each(['ListConnections', 'ListPipelines', 'ListWorkspaces', 'ListApiKeys'] as const)(
  '%s refuses a cursor that no list has answered',
  (name) => {
    const input = { within: null, ...page(10, 'other\0') };
    const details = [expect.objectContaining({ path: '/cursor' })];
    expect(() => readsOf().read(name, input, HERE)).toThrow(
      expect.objectContaining({ code: 'BadRequest', details }) as Error,
    );
  },
);

it('answers that a workspace has no warehouse', () => {
  expect(() => readsOf(workspace(WORKSPACE)).read('GetWarehouse', {}, HERE)).toThrow(
    expect.objectContaining({ code: 'InvalidWarehouseSettings' }) as Error,
  );
});

describe('a page of large pipelines', () => {
  const inSchema = readsOf(connectionState(), pipelineState()).read(
    'GetPipeline',
    { id: pipelineState().id },
    HERE,
  ).inSchema.length;
  const large = (n: number, length: number): ConfigurationState =>
    pipelineState({
      id: `pipeline0000000${String(n)}` as PipelineId,
      filter: 'f'.repeat(length - inSchema - 'null'.length),
    });

  it.each([
    [[MAX_PAGE_LENGTH / 2, MAX_PAGE_LENGTH / 2], 2],
    [[MAX_PAGE_LENGTH / 2 + 1, MAX_PAGE_LENGTH / 2], 1],
    [[MAX_PAGE_LENGTH + 1, MAX_PAGE_LENGTH + 1], 1],
  ])('of %j characters holds %d', (lengths, count) => {
    const reads = readsOf(connectionState(), ...lengths.map((length, n) => large(n, length)));
    const first = reads.read('ListPipelines', page(), HERE);
    expect(first.pipelines).toHaveLength(count);
    expect(first.cursor).toBe(count === 2 ? '' : 'pipeline00000001');
    const { pipelines } = reads.read('ListPipelines', page(10, first.cursor), HERE);
    if (count === 1) expect(pipelines.map(({ id }) => id)).toEqual(['pipeline00000000']);
  });
});
