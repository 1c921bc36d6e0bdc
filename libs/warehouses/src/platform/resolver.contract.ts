import type { PipelineId } from '@penstock/contracts';
import type { Resolver } from './resolver';
import { MAX_RESOLVED } from './resolver';
import { NEVER, type Resolving, resolveAll, rules } from './resolving.fixture';
import { WarehouseFault, type WarehouseFaultKind } from './warehouse';
import { imported } from './warehouse-writer.contract';

const BY = rules(['email']);

/** Every method that changes something. */
export const CHANGING: Readonly<Record<string, (resolver: Resolver) => Promise<unknown>>> = {
  resolve: (resolver) => resolver.resolve(10, NEVER),
  takeApart: (resolver) => resolver.takeApart(),
  forgetFacts: (resolver) => resolver.forgetFacts('1'),
};

const READING: typeof CHANGING = {
  pending: (resolver) => resolver.pending(),
  sharedValues: (resolver) => resolver.sharedValues(),
  facts: (resolver) => resolver.facts(10),
};

export const isRejected = async (
  work: Promise<unknown>,
  kind: WarehouseFaultKind,
): Promise<void> => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WarehouseFault);
  expect((error as WarehouseFault).kind).toBe(kind);
};

export const some = (stage: Resolving): Promise<void> =>
  stage.write('c1', [imported('u', 1, { email: 'a' }), imported('v', 1, { email: 'a' })]);

/** Removes what the first pipeline of a connection has written, as after it was deleted. */
const removed = async ({ writers }: Resolving): Promise<void> => {
  const role = { role: 'removal', epoch: 1 } as const;
  const remover = await writers.beginRemoval(role, 'c1a' as PipelineId);
  while (!(await remover.remove(() => Promise.resolve())).isLast);
};

/** Every platform keeps these promises of resolvers. */
export const itKeepsResolversInBounds = (stage: () => Resolving): void => {
  it.each(Object.entries({ ...CHANGING, ...READING }))('%s is fenced', async (_, method) => {
    await some(stage());
    const old = await stage().resolver(BY);
    await stage().resolver(BY);
    const before = await stage().contents();
    await isRejected(method(old), 'fenced');
    expect(await stage().contents()).toEqual(before);
  });

  it.each(Object.entries({ ...CHANGING, ...READING }))(
    '%s is outdated by another schema of profiles',
    async (_, method) => {
      await some(stage());
      const resolver = await stage().resolver(BY);
      const before = await stage().contents();
      await stage().setSchemaVersion(2);
      await isRejected(method(resolver), 'outdated').finally(() => stage().setSchemaVersion(1));
      expect(await stage().contents()).toEqual(before);
    },
  );

  it('changes nothing and records nothing when nothing was changed', async () => {
    await some(stage());
    const resolver = await stage().resolver(BY);
    await resolveAll(resolver);
    expect(await resolver.pending()).toBe(0);
    const before = await stage().contents();
    expect(await resolver.resolve(1, NEVER)).toEqual({
      ...{ identities: 0, created: 0, merged: 0, split: 0, deleted: 0, isLast: true },
    });
    expect(await stage().contents()).toEqual(before);
  });

  it('takes as many changed identities as it may, the first ones first', async () => {
    for (const id of ['u', 'v', 'w']) await stage().write('c1', [imported(id, 1, { email: id })]);
    const resolver = await stage().resolver(BY);
    expect(await resolver.pending()).toBe(3);
    expect(await resolver.resolve(2, NEVER)).toMatchObject({ identities: 2, isLast: false });
    const resolved = (await stage().rows()).filter(({ _profile_id }) => _profile_id !== null);
    expect(resolved.map(({ _record_id }) => _record_id)).toEqual(['u', 'v']);
    expect(await resolver.resolve(2, NEVER)).toMatchObject({ identities: 1, isLast: true });
  });

  it.each([0, 1.5, MAX_RESOLVED + 1])('refuses to take %d at once', async (limit) => {
    const resolver = await stage().resolver(BY);
    await expect(resolver.resolve(limit, NEVER)).rejects.toThrow(RangeError);
  });

  it('refuses identifiers that are too many, unknown, or of a kind that joins nobody', async () => {
    for (const identifiers of [Array.from({ length: 17 }, () => 'email'), ['none'], ['tags']])
      await expect(stage().resolver(rules(identifiers))).rejects.toThrow(RangeError);
  });

  it.each([
    ['purged', () => stage().purge('c1', 'u')],
    ['removed', () => removed(stage())],
  ])(
    'takes the events of what is %s after all was taken apart from its profile',
    async (_, remove) => {
      await stage().write('c1', [imported('u', 1, { email: 'e' })]);
      await stage().write('c1', [imported('w', 1, { email: 'e' })], 'b');
      const resolver = await stage().resolver(BY);
      await resolveAll(resolver);
      await stage().event('c1', 'x', 'u');
      await resolver.takeApart();
      await remove();
      await resolveAll(resolver);
      expect((await stage().events()).map(({ profile_id }) => profile_id)).toEqual([null]);
    },
  );

  it('ends however much is written meanwhile, which the next ones resolve', async () => {
    const say = async (n: number): Promise<void> => {
      await stage().write('c1', [imported(`u${n}`, 1, { email: `e${n}` })]);
      await stage().event('c1', `a${n}`, `u${n}`);
    };
    await say(0);
    const resolver = await stage().resolver(BY);
    let batches = 0;
    for (let isLast = false; !isLast; batches += 1) {
      ({ isLast } = await resolver.resolve(10, NEVER));
      await say(batches + 1);
    }
    expect(batches).toBeLessThan(5);
    expect(await resolver.pending()).toBe(batches);
    await resolveAll(resolver);
    expect(await resolver.pending()).toBe(0);
    expect(await stage().profiles()).toHaveLength(batches + 1);
  });

  it('names values that more than a thousand identities have', async () => {
    const having = (prefix: string, count: number, email: string) =>
      Array.from({ length: count }, (_, at) => imported(`${prefix}${at}`, 1, { email }));
    await stage().write('c1', having('a', 1_000, 'enough'));
    const resolver = await stage().resolver(BY);
    await resolveAll(resolver);
    expect(await resolver.sharedValues()).toEqual([]);
    const long = 'l'.repeat(3_000);
    await stage().write('c1', [imported('more', 1, { email: 'enough' })]);
    await stage().write('c1', having('b', 1_002, long));
    await resolveAll(resolver);
    expect(await resolver.sharedValues()).toEqual([
      { identifier: 'email', value: long.slice(0, 2_000), identities: 1_002 },
      { identifier: 'email', value: 'enough', identities: 1_001 },
    ]);
    expect(await stage().profiles()).toHaveLength(2);
  });
};
