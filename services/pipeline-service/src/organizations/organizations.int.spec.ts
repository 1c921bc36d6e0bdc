import {
  type ApiKeyId,
  type NewApiKey,
  type OrganizationId,
  type WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { Installation } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let organization: OrganizationId;
let workspace: WorkspaceId;

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start({ limits: { keys: 5 } });
  ({ organization, workspace } = await installation.founded());
});

afterAll(() => installation.close());

/** Leaves the key of the first start alone. */
afterEach(async () => {
  for (const { id, name } of (await list()).keys)
    if (name !== 'bootstrap')
      await installation.command('RevokeApiKey', { id, within: null }, { organization });
});

const aKey = (changes: Partial<NewApiKey> = {}): NewApiKey => {
  const id = newId() as ApiKeyId;
  return {
    id,
    name: 'CI',
    scope: 'write',
    workspace: null,
    hash: `hash of ${id}`,
    hint: 'pk_1…wxyz',
    expiresAt: null,
    ...changes,
  };
};

const create = (key: NewApiKey) => installation.command('CreateApiKey', key, { organization });

const list = async (wanted: object = {}) =>
  installation.read(
    'ListApiKeys',
    { limit: 100, cursor: '', within: null, ...wanted },
    { organization },
  );

it('lists keys in pages, newest first, without their hashes', async () => {
  const [one, two] = [aKey(), aKey({ workspace })];
  expect(await create(one)).toEqual({ id: one.id });
  await create(two);
  const { hash: _, ...shown } = two;
  const page = await list({ limit: 1 });
  expect(page).toEqual({ keys: [shown], cursor: two.id });
  const rest = await list({ cursor: two.id });
  expect(rest.keys).toMatchObject([{ id: one.id }, { name: 'bootstrap', scope: 'admin' }]);
  expect(rest.cursor).toBe('');
  expect((await list({ within: workspace })).keys).toEqual([shown]);
});

it('creates no key of a workspace that does not exist', async () => {
  await expect(create(aKey({ workspace: newId() as WorkspaceId }))).rejects.toMatchObject({
    code: 'WorkspaceNotExist',
    kind: 'absent',
  });
});

it('has no more keys than the limit, however many are requested at once', async () => {
  const settled = await Promise.allSettled(Array.from({ length: 20 }, () => create(aKey())));
  const refused = settled.flatMap((each) =>
    each.status === 'rejected' ? [each.reason as unknown] : [],
  );
  expect(settled.length - refused.length).toBe(4);
  for (const reason of refused)
    expect(reason).toMatchObject({
      code: 'KeysLimitReached',
      message: 'organization cannot have more than 5 keys',
    });
  expect((await list()).keys).toHaveLength(5);
});

it('revokes a key', async () => {
  const key = aKey();
  await create(key);
  const revoke = (within: WorkspaceId | null = null) =>
    installation.command('RevokeApiKey', { id: key.id, within }, { organization });
  await expect(revoke(workspace)).rejects.toMatchObject({ code: 'KeyNotExist' });
  await revoke();
  await expect(revoke()).rejects.toMatchObject({ code: 'KeyNotExist' });
  expect((await list()).keys).toMatchObject([{ name: 'bootstrap' }]);
});

it('publishes whether the organization is enabled', async () => {
  const replica = await installation.follow();
  for (const enabled of [false, true]) {
    const { position } = await installation.recorded(
      'SetOrganizationStatus',
      { enabled },
      { organization },
    );
    await replica.waitFor(position);
    expect(replica.organization(organization)).toMatchObject({ enabled });
  }
});

describe('a pipeline on events', () => {
  it.each([
    ['RunPipeline', { incremental: null }],
    ['RunPipeline', { incremental: true }],
    ['SetSchedulePeriod', { period: '1h' }],
    ['SetSchedulePeriod', { period: null }],
  ] as const)('refuses %s %j once the pipeline is found', async (name, input) => {
    const context = { organization, workspace };
    const { id } = aPipeline(await installation.destination({}, context));
    const send = () => installation.command(name, { id, ...input }, context);
    await expect(send()).rejects.toMatchObject({ code: 'PipelineNotExist' });
    const pipeline = aPipeline(await installation.destination({}, context), { id });
    await installation.command('CreatePipeline', pipeline, context);
    await expect(send()).rejects.toMatchObject({ code: 'PipelineNotRunnable', kind: 'refused' });
  });
});
