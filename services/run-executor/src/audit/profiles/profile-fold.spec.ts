import { type Instant, type ProfileFact, profileOf, type WorkspaceId } from '@penstock/contracts';
import { Differences } from '@penstock/platform';
import fc from 'fast-check';
import { checkLives } from './check-lives';
import { ProfileFold } from './profile-fold';
import { type ToldFact, toldFact } from './told-fact';

const WORKSPACE = 'workspace0000001' as WorkspaceId;

const idOf = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;

/** What has become of profiles, kept as plainly as possible. */
class Model {
  readonly facts: ProfileFact[] = [];
  readonly live = new Set<string>();
  readonly survivors = new Map<string, string>();
  private made = 0;

  /** @param choices any numbers, which say what happens to which profiles. */
  step([kind = 0, one = 0, other = 0]: readonly number[]): void {
    const live = [...this.live];
    const first = live[one % Math.max(1, live.length)];
    const second = live[other % Math.max(1, live.length)];
    if (kind < 4 || first === undefined || second === undefined) this.create();
    else if (kind < 6) this.split(first, second);
    else if (kind < 9) this.merge(first, second);
    else this.remove(first);
  }

  private create(): void {
    const id = this.make();
    this.facts.push({ type: 'ProfileCreated', id, identities: [String(this.made)] });
  }

  private split(kept: string, other: string): void {
    const created = [this.make(), ...(other === kept ? [] : [other])];
    this.facts.push({ type: 'ProfileSplit', kept, created, reason: 'changed' });
  }

  private merge(survivor: string, absorbed: string): void {
    if (survivor === absorbed) return;
    this.live.delete(absorbed);
    for (const [alias, of] of this.survivors)
      if (of === absorbed) this.survivors.set(alias, survivor);
    this.survivors.set(absorbed, survivor);
    this.facts.push({ type: 'ProfilesMerged', survivor, absorbed: [absorbed], joinedBy: [] });
  }

  private remove(id: string): void {
    this.live.delete(id);
    for (const [alias, of] of this.survivors) if (of === id) this.survivors.delete(alias);
    this.facts.push({ type: 'ProfileDeleted', id, reason: 'removed' });
  }

  private make(): string {
    this.made += 1;
    this.live.add(idOf(this.made));
    return idOf(this.made);
  }
}

const told = (fact: ProfileFact, number: number): ToldFact => {
  const known = toldFact({
    ...{ id: `${WORKSPACE}:${String(number)}`, workspace: WORKSPACE, number: String(number), fact },
    time: new Date(number).toISOString() as Instant,
  });
  if (known === undefined) throw new Error('not a fact');
  return known;
};

const choices = fc.tuple(fc.nat(10), fc.nat(1_000), fc.nat(1_000));

/** Facts of each profile keep their order, others do not, and some come several times. */
const delivered = (facts: readonly ToldFact[], random: readonly number[]): ToldFact[] => {
  const partitions = new Map<number, ToldFact[]>();
  for (const each of facts) {
    const key = Number(profileOf(each.fact).slice(-3)) % 8;
    partitions.set(key, [...(partitions.get(key) ?? []), each]);
  }
  const all: ToldFact[] = [];
  for (let nth = 0; ; nth += 1) {
    const waiting = [...partitions.values()].filter((each) => each.length > 0);
    if (waiting.length === 0) break;
    const choice = random[nth % random.length] ?? 0;
    const next = waiting[choice % waiting.length]?.shift();
    if (next !== undefined) all.push(next);
    if (choice % 5 === 0) all.push(...all.slice(-2));
  }
  return all;
};

it('knows what lives and what was absorbed, in whatever order facts of several profiles come', () => {
  const steps = fc.array(choices, { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(steps, fc.array(fc.nat(), { minLength: 5 }), (all, random) => {
      const model = new Model();
      for (const each of all) model.step(each);
      const differences = new Differences();
      const fold = new ProfileFold(differences);
      const facts = model.facts.map((fact, nth) => told(fact, nth + 1));
      for (const each of delivered(facts, random)) fold.take(each);
      checkLives(fold, WORKSPACE, { isWhole: true, exists: () => true });
      expect(differences.named).toEqual([]);
      expect(fold.facts).toBe(facts.length);
      const profiles = [...fold.of(WORKSPACE)];
      const live = profiles.filter((each) => fold.isLive(each)).map((each) => fold.idOf(each));
      expect(new Set(live)).toEqual(model.live);
      for (const each of profiles) {
        const survivor = fold.survivorOf(each);
        const id = fold.idOf(each);
        const expected = model.live.has(id) ? id : model.survivors.get(id);
        expect(survivor === undefined ? undefined : fold.idOf(survivor)).toBe(expected);
      }
    }),
  );
});

describe('facts without those that were told with them', () => {
  const reportsOf = (count: number, isWhole: boolean): number => {
    const differences = new Differences();
    const fold = new ProfileFold(differences);
    fold.take(told({ type: 'ProfileDeleted', id: idOf(1), reason: 'removed' }, 1));
    for (let nth = 2; nth <= count; nth += 1)
      fold.take(told({ type: 'ProfileCreated', id: idOf(nth), identities: [] }, nth));
    checkLives(fold, WORKSPACE, { isWhole, exists: () => true });
    return differences.count;
  };

  it('may be followed by them as long as they can have been published together', () => {
    expect(reportsOf(500, false)).toBe(0);
    expect(reportsOf(501, false)).toBe(1);
    expect(reportsOf(1, true)).toBe(1);
  });
});

it('reports a profile of which two workspaces tell, unless one of them is gone', () => {
  const reportsOf = (gone: string): string[] => {
    const differences = new Differences();
    const fold = new ProfileFold(differences);
    fold.take(told({ type: 'ProfileCreated', id: idOf(1), identities: [] }, 1));
    const more = told({ type: 'ProfileDeleted', id: idOf(1), reason: 'removed' }, 2);
    fold.take({ ...more, workspace: 'other' });
    checkLives(fold, WORKSPACE, { isWhole: true, exists: (id) => id !== gone });
    return differences.named.map(({ where, what }) => `${where} ${what}`);
  };
  expect(reportsOf('none')).toEqual([
    `profiles ${idOf(1)} number 2 is told of by the workspaces ${WORKSPACE} and other`,
  ]);
  expect(reportsOf(WORKSPACE)).toEqual([]);
  expect(reportsOf('other')).toEqual([]);
});
