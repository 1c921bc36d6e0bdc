import type { ConnectionId, ProfileFact } from '@penstock/contracts';
import type { Value } from '@penstock/schema';
import fc from 'fast-check';
import { naiveGroups, naiveValue, type StoredRow } from './naive-resolution.fixture';
import type { ResolutionRules, Resolver } from './resolver';
import { COLUMNS, type Resolving, resolveAll, rules } from './resolving.fixture';
import type { EventUpdate } from './warehouse-writer';
import { type Members, said } from './warehouse-writer.contract';

/** What the facts say of profiles. */
class Told {
  readonly live = new Set<string>();
  readonly ever = new Set<string>();
  readonly aliases = new Map<string, string>();

  add(fact: ProfileFact): void {
    switch (fact.type) {
      case 'ProfileCreated':
        this.make(fact.id);
        break;
      case 'ProfileSplit':
        expect(this.live).toContain(fact.kept);
        expect(fact.created).toEqual([...fact.created].sort());
        for (const id of fact.created) if (!this.live.has(id)) this.make(id);
        break;
      case 'ProfilesMerged':
        expect(this.live).toContain(fact.survivor);
        expect(fact.joinedBy).toHaveLength(fact.absorbed.length);
        for (const id of fact.absorbed) this.absorb(id, fact.survivor);
        break;
      case 'ProfileDeleted':
        expect(this.live.delete(fact.id)).toBe(true);
        for (const [alias, id] of this.aliases) if (id === fact.id) this.aliases.delete(alias);
    }
  }

  private make(id: string): void {
    expect(this.ever).not.toContain(id);
    this.ever.add(id);
    this.live.add(id);
  }

  private absorb(id: string, survivor: string): void {
    expect(this.live.delete(id)).toBe(true);
    for (const [alias, of] of this.aliases) if (of === id) this.aliases.set(alias, survivor);
    this.aliases.set(id, survivor);
  }
}

/** The id that each group has by the rules of ids; undefined: a new one. */
const idsOf = (
  groups: readonly (readonly StoredRow[])[],
  before: ReadonlyMap<number, string>,
  createdUs: ReadonlyMap<string, number>,
): readonly (string | undefined)[] => {
  const oldest = new Map<string, number>();
  for (const { _id } of groups.flat().sort((one, other) => one._id - other._id)) {
    const profile = before.get(_id);
    if (profile !== undefined && !oldest.has(profile)) oldest.set(profile, _id);
  }
  return groups.map((group) => {
    const having = [...oldest].filter(([, id]) => group.some(({ _id }) => _id === id));
    return having
      .map(([profile]) => profile)
      .sort((one, other) => {
        const [mine, others] = [createdUs.get(one) ?? 0, createdUs.get(other) ?? 0];
        return mine === others ? (one < other ? -1 : 1) : mine - others;
      })[0];
  });
};

/** Everything that holds when nothing is left to be resolved. */
const check = async (stage: Resolving, by: ResolutionRules, told: Told): Promise<void> => {
  const rows = await stage.rows();
  const groups = naiveGroups(rows, by);
  const profiles = new Map((await stage.profiles()).map((each) => [each._profile_id, each]));
  expect(profiles.size).toBe(groups.length);
  for (const group of groups) {
    const [first] = group;
    expect([...new Set(group.map(({ _profile_id }) => _profile_id))]).toEqual([first?._profile_id]);
    const profile = profiles.get(first?._profile_id ?? '');
    expect(profile?._identities).toBe(group.length);
    const times = group.map(({ _updated_at }) => _updated_at).sort();
    expect(profile?._updated_at).toBe(times.at(-1));
    for (const column of COLUMNS)
      expect([column, profile?.[column]]).toEqual([column, naiveValue(group, column, by)]);
  }
  expect(new Set(profiles.keys())).toEqual(told.live);
  expect(await stage.aliases()).toEqual(told.aliases);
  for (const event of await stage.events()) {
    const identity = rows.find(
      ({ _connection, _anonymous, _record_id }) =>
        _connection === event.connection_id &&
        _anonymous === (event.user_id === null) &&
        _record_id === (event.user_id ?? event.anonymous_id),
    );
    expect(event.profile_id).toBe(identity?._profile_id ?? null);
  }
};

const connection = fc.constantFrom('c1', 'c2');
const pipeline = fc.constantFrom('a', 'a', 'b');
const recordId: fc.Arbitrary<string> = fc.constantFrom('u', 'v', 'w', 'x');
const maybeId: fc.Arbitrary<string | undefined> = fc.option(fc.constantFrom('u', 'x', 'y'), {
  nil: undefined,
  freq: 2,
});
const text = fc.constantFrom('', 'p', 'q', 'r', 'P');
const members: fc.Arbitrary<Members> = fc
  .record(
    {
      email: text,
      phone: text,
      first_name: text,
      tags: fc.array(fc.constantFrom('t', 'T', 'ä'), { maxLength: 2 }),
      code: fc.constantFrom(1n, 2n),
      address: fc.constantFrom('10.0.0.1', '2001:db8::1'),
    },
    { requiredKeys: [] },
  )
  .map(({ code, ...others }) => ({
    ...others,
    ...(code !== undefined && { contact: Object.assign(Object.create(null), { code }) as Value }),
  }));

const someRules: fc.Arbitrary<ResolutionRules> = fc
  .tuple(
    fc.shuffledSubarray(['email', 'phone', 'contact.code', 'address']),
    fc.boolean(),
    fc.option(connection, { nil: undefined }),
  )
  .map(([identifiers, blocks, primary]) =>
    rules(identifiers, {
      blockedValues: new Map(blocks ? [['email', new Set(['p'])]] : []),
      primarySources: new Map(
        primary === undefined ? [] : [['first_name', primary as ConnectionId]],
      ),
    }),
  );

const saying = fc.record({
  kind: fc.constant('say' as const),
  connection,
  pipeline,
  recordId,
  timeUs: fc.integer({ min: 0, max: 5 }),
  anonymous: fc.boolean(),
  anonymousId: maybeId,
  previousId: maybeId,
  members,
});

type Saying = typeof saying extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: saying,
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('purge' as const), connection, pipeline, recordId }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('event' as const), connection, recordId },
      isKnown: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('some' as const),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('all' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rules' as const), by: someRules }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One run of the property. */
class Scenario {
  readonly told = new Told();
  private messages = 0;

  constructor(
    private readonly stage: Resolving,
    public by: ResolutionRules,
    public resolver: Resolver,
  ) {}

  async take(next: Step): Promise<void> {
    switch (next.kind) {
      case 'say':
        return this.say([next]);
      case 'purge':
        return this.stage.purge(next.connection, next.recordId, next.pipeline);
      case 'event':
        return this.stage.event(next.connection, 'x', next.isKnown ? next.recordId : undefined);
      case 'some':
        await this.resolver.resolve(next.limit, AbortSignal.timeout(60_000));
        return this.listen();
      case 'all':
        return this.all();
      case 'rules':
        this.by = next.by;
        this.resolver = await this.stage.resolver(next.by);
        return this.resolver.takeApart();
    }
  }

  /** Writes what is said of the records of each pipeline at once. */
  async say(all: readonly Saying[]): Promise<void> {
    const pipelines = new Map<string, Saying[]>();
    for (const each of all) {
      const of = `${each.connection} ${each.pipeline}`;
      pipelines.set(of, [...(pipelines.get(of) ?? []), each]);
    }
    for (const [of, sayings] of pipelines) {
      const [connectionId = '', pipelineId] = of.split(' ');
      const updates = sayings.map((each) => this.updateOf(each));
      await this.stage.write(connectionId, updates, pipelineId);
    }
  }

  /** In one batch: then the ids are told by the rules. */
  async all(): Promise<void> {
    const before = new Map(
      (await this.stage.rows()).flatMap(({ _id, _profile_id: id }) =>
        id === null ? [] : [[_id, id]],
      ),
    );
    const createdUs = new Map(
      (await this.stage.profiles()).map(({ _profile_id: id, _created_us }) => [id, _created_us]),
    );
    await resolveAll(this.resolver);
    await this.listen();
    await check(this.stage, this.by, this.told);
    const groups = naiveGroups(await this.stage.rows(), this.by);
    idsOf(groups, before, createdUs).forEach((expected, place) => {
      const actual = groups[place]?.[0]?._profile_id ?? '';
      if (expected === undefined) expect(createdUs.has(actual)).toBe(false);
      else expect(actual).toBe(expected);
    });
  }

  /** Computing everything anew, in small batches, changes nothing and records nothing. */
  async anew(limit: number): Promise<void> {
    const before = await this.stage.rows();
    const profiles = await this.stage.profiles();
    await this.resolver.takeApart();
    await resolveAll(this.resolver, limit);
    expect(await this.stage.takeFacts(this.resolver)).toEqual([]);
    expect(await this.stage.rows()).toEqual(before);
    expect(new Set(await this.stage.profiles())).toEqual(new Set(profiles));
    await check(this.stage, this.by, this.told);
  }

  private updateOf(of: Saying): EventUpdate {
    const { anonymous, anonymousId, previousId } = of;
    this.messages += 1;
    return said(of.recordId, of.timeUs, of.members, {
      ...{ anonymous, tieBreaker: `m${String(this.messages % 3)}` },
      ...(!anonymous && anonymousId !== undefined && { anonymousId }),
      ...(!anonymous && previousId !== undefined && { previousId }),
    });
  }

  private async listen(): Promise<void> {
    for (const fact of await this.stage.takeFacts(this.resolver)) this.told.add(fact);
  }
}

/** How much of it is tried. */
interface Tried {
  readonly runs: number;
  /** Steps of a run. */
  readonly steps: number;
  /** Runs in which much is written at once. */
  readonly wholes: number;
}

/** The first steps that fail are told: to look for the smallest ones takes longer than a test may. */
const AT_ONCE = { endOnFailure: true };

/** An id with a number behind it. */
const numbered = (id: string | undefined, number: number): string | undefined =>
  id === undefined ? undefined : `${id}${String(number)}`;

/** Much that is said of records that are many, with few values, so that very many of them are joined, or kept apart. */
const many = fc.array(
  fc.tuple(saying, fc.nat(24), fc.nat(4)).map(([each, number, other]) => ({
    ...each,
    recordId: `${each.recordId}${String(number)}`,
    anonymousId: numbered(each.anonymousId, other),
    previousId: numbered(each.previousId, other),
  })),
  { minLength: 25, maxLength: 50, size: 'max' },
);

/** Every platform resolves as the definition of it says, which compares every two identities. */
export const itResolves = (stage: () => Resolving, { runs, steps, wholes }: Tried): void => {
  it('keeps all rules, whatever is written and resolved in whichever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRules,
        fc.array(step, { minLength: 4, maxLength: steps, size: 'max' }),
        async (by, taken) => {
          await stage().empty();
          const scenario = new Scenario(stage(), by, await stage().resolver(by));
          for (const each of taken) await scenario.take(each);
          await scenario.all();
          await scenario.anew(2);
        },
      ),
      { ...AT_ONCE, numRuns: runs },
    );
  });

  it('keeps them where much is written at once, and changed', async () => {
    await fc.assert(
      fc.asyncProperty(someRules, many, many, async (by, first, others) => {
        await stage().empty();
        const scenario = new Scenario(stage(), by, await stage().resolver(by));
        for (const written of [first, others]) {
          await scenario.say(written);
          for (const id of ['u1', 'v2']) await stage().event('c1', 'x1', id);
          await scenario.all();
        }
        await scenario.anew(40);
      }),
      { ...AT_ONCE, numRuns: wholes },
    );
  });
};
