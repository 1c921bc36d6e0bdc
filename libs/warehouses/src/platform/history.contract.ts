import type { ProfileFact, ProfilesMerged, ProfileSplit } from '@penstock/contracts';
import { NEVER, type Resolving, resolveAll, rules } from './resolving.fixture';
import type { WarehouseReader } from './warehouse-reader';
import { imported } from './warehouse-writer.contract';

/** Every platform keeps the history of profiles. The stage is empty before each test. */
export const itKeepsHistory = (stage: () => Resolving): void => {
  let reader: WarehouseReader;

  beforeAll(async () => {
    reader = await stage().reader();
  });

  /** Resolves, and publishes what is recorded. @returns the facts */
  const resolve = async (): Promise<readonly ProfileFact[]> => {
    const resolver = await stage().resolver(rules(['email']));
    await resolveAll(resolver);
    return stage().takeFacts(resolver);
  };

  /** The whole history of a profile, read in pages of one. */
  const historyOf = async (profile: string): Promise<readonly ProfileFact[]> => {
    const facts: ProfileFact[] = [];
    for (let after: string | undefined; ;) {
      const { past, isLast } = await reader.history({ profile, limit: 1, after }, NEVER);
      facts.push(...past.map(({ fact }) => fact));
      after = past.at(-1)?.place;
      if (isLast) return facts;
    }
  };

  const say = (us: number, ...emails: readonly string[]): Promise<void> =>
    stage().write(
      'c1',
      emails.map((email, index) => imported(`u${String(index)}`, us, { email })),
    );

  it('tells of every profile what has happened to it, in that order', async () => {
    await say(1, 'a', 'b');
    const created = await resolve();
    const [one = '', other = ''] = created.map((fact) => (fact as { id: string }).id);
    await say(2, 'c', 'c');
    const [merged] = await resolve();
    const [survivor, absorbed] =
      (merged as ProfilesMerged).survivor === one ? [one, other] : [other, one];
    expect(merged).toMatchObject({ type: 'ProfilesMerged', survivor, absorbed: [absorbed] });
    await say(3, 'd', 'e');
    const [split] = await resolve();
    const [fresh = ''] = (split as ProfileSplit).created;
    const createdOf = (id: string) => created.find((fact) => 'id' in fact && fact.id === id);
    expect(await historyOf(survivor)).toEqual([createdOf(survivor), merged, split]);
    expect(await historyOf(absorbed)).toEqual([createdOf(absorbed), merged]);
    expect(await historyOf(fresh)).toEqual([split]);
    await stage().purge('c1', 'u0');
    await stage().purge('c1', 'u1');
    const deleted = await resolve();
    expect(deleted).toHaveLength(2);
    expect((await historyOf(survivor)).at(-1)).toEqual(
      deleted.find((fact) => 'id' in fact && fact.id === survivor),
    );
  });

  it('names a hundred others of the profile that stays, and of another one itself only', async () => {
    const many = Array.from({ length: 102 }, (_, index) => `m${String(index)}`);
    await say(1, ...many);
    await resolve();
    await say(2, ...many.map(() => 'same'));
    const [merged] = (await resolve()) as readonly ProfilesMerged[];
    expect(merged?.absorbed).toHaveLength(101);
    const [, told] = (await historyOf(merged?.survivor ?? '')) as readonly ProfilesMerged[];
    expect(told?.absorbed).toEqual(merged?.absorbed.slice(0, 100));
    for (const [index, joins] of [
      [0, 1],
      [99, 1],
      [100, 0],
    ] as const) {
      const id = merged?.absorbed[index] ?? '';
      const [, absorbed] = await historyOf(id);
      expect(absorbed).toMatchObject({ survivor: merged?.survivor, absorbed: [id] });
      expect((absorbed as ProfilesMerged).joinedBy).toHaveLength(joins);
    }
  });

  it('has nothing of a profile that there never was', async () => {
    expect(await historyOf('00000000-0000-4000-8000-000000000000')).toEqual([]);
  });
};
