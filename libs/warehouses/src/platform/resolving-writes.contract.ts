import { naiveGroups, type StoredRow } from './naive-resolution.fixture';
import { NEVER, type Resolving, resolveAll, rules } from './resolving.fixture';
import type { IdentityUpdate } from './warehouse-writer';
import { imported, said } from './warehouse-writer.contract';

const BY = rules(['email', 'phone']);

/** Groups by the record ids in them. */
const named = (groups: readonly (readonly StoredRow[])[]): readonly string[] =>
  groups
    .map((group) =>
      group
        .map(({ _connection, _anonymous, _record_id }) =>
          [_connection, _anonymous, _record_id].join(' '),
        )
        .sort()
        .join(', '),
    )
    .sort();

const byProfile = (rows: readonly StoredRow[]): readonly (readonly StoredRow[])[] => [
  ...rows
    .reduce((groups, row) => {
      const id = row._profile_id ?? '';
      return groups.set(id, [...(groups.get(id) ?? []), row]);
    }, new Map<string, StoredRow[]>())
    .values(),
];

const updates = (round: number): readonly IdentityUpdate[] =>
  Array.from({ length: 30 }, (_, at) => {
    const n = (round * 7 + at * 11) % 40;
    const value = (round * 13 + at * 5) % 50;
    return said(
      `u${n}`,
      10 + round,
      { email: `e${value}`, phone: `p${n % 3}` },
      {
        ...{ tieBreaker: `${round} ${at}` },
        ...(at % 3 === 0 && { anonymousId: `x${at % 5}` }),
      },
    );
  });

/** How much is tried. */
interface Tried {
  /** Rounds of writing. */
  readonly rounds: number;
  /** Changed identities of a small batch. */
  readonly few: number;
}

/** Every platform resolves whatever is written, beside those who write. */
export const itResolvesWhatIsWritten = (stage: () => Resolving, { rounds, few }: Tried): void => {
  it('loses nothing that is written while identities are resolved', async () => {
    const resolver = await stage().resolver(BY);
    const written = new AbortController();
    const writing = (async () => {
      for (let round = 0; round < rounds; round += 1) {
        await stage().write('c1', updates(round));
        if (round % 5 === 4) await stage().purge('c1', `u${round}`);
        await stage().event('c1', 'x0', `u${round}`);
      }
      written.abort();
    })();
    while (!written.signal.aborted) await resolver.resolve(20, NEVER);
    await writing;
    await resolveAll(resolver, 20);
    const rows = await stage().rows();
    expect(named(byProfile(rows))).toEqual(named(naiveGroups(rows, BY)));
    for (const { user_id, profile_id } of await stage().events())
      expect(profile_id).toBe(
        rows.find(({ _record_id }) => _record_id === user_id)?._profile_id ?? null,
      );
    expect(await resolver.pending()).toBe(0);
  });

  it('makes the same groups of the same updates in any order', async () => {
    const all = [0, 1, 2, 3].flatMap(updates);
    const groupsOf = async (inOrder: readonly IdentityUpdate[], limit: number) => {
      await stage().empty();
      const resolver = await stage().resolver(BY);
      for (let at = 0; at < inOrder.length; at += 40) {
        await stage().write('c1', inOrder.slice(at, at + 40));
        await resolver.resolve(limit, NEVER);
      }
      await resolveAll(resolver, limit);
      return named(byProfile(await stage().rows()));
    };
    const groups = await groupsOf(all, 50_000);
    expect(await groupsOf([...all].reverse(), few)).toEqual(groups);
  });

  it('joins along a chain, whatever the order of its members', async () => {
    const size = 200;
    const resolver = await stage().resolver(BY);
    const chain = Array.from({ length: size }, (_, at) => {
      const place = (at * 77) % size;
      return said(`u${place}`, 1, {}, { previousId: `u${place + 1}` });
    });
    await stage().write('c1', chain);
    await stage().write('c1', [imported(`u${size}`, 1)]);
    await resolveAll(resolver);
    expect(await stage().profiles()).toHaveLength(1);
    expect(await stage().takeFacts(resolver)).toMatchObject([{ type: 'ProfileCreated' }]);
  });

  it('tells by what profiles were joined', async () => {
    const resolver = await stage().resolver(BY);
    const say = async (update: IdentityUpdate): Promise<void> => {
      await stage().write('c1', [update]);
      await resolveAll(resolver);
    };
    await say(said('x', 1, {}, { anonymous: true }));
    await say(said('u', 1));
    await say(said('v', 1));
    await say(said('w', 1, { phone: '1' }));
    await stage().takeFacts(resolver);
    await say(said('u', 2, { phone: '2' }, { anonymousId: 'x' }));
    await say(said('v', 2, {}, { previousId: 'u' }));
    await say(said('v', 3, { phone: '1' }));
    const merged = (rule: string, identifier: string | null): object => ({
      type: 'ProfilesMerged',
      joinedBy: [{ rule, identifier }],
    });
    expect(await stage().takeFacts(resolver)).toMatchObject([
      merged('b', null),
      merged('c', null),
      merged('d', 'phone'),
    ]);
  });

  it('an anonymous id is of who was named with it first, also where that is told late', async () => {
    const resolver = await stage().resolver(BY);
    const profiles = async (): Promise<Readonly<Record<string, string | null>>> => {
      await resolveAll(resolver);
      const rows = await stage().rows();
      return Object.fromEntries(
        rows.map(({ _record_id, _profile_id }) => [_record_id, _profile_id]),
      );
    };
    await stage().write('c1', [said('x', 1, {}, { anonymous: true })]);
    await stage().write(
      'c1',
      [5, 7].map((time) => said(`u${time}`, time, {}, { anonymousId: 'x' })),
    );
    const before = await profiles();
    expect(before['x']).toBe(before['u5']);
    expect(before['u7']).not.toBe(before['u5']);
    await stage().write('c1', [said('u3', 3, {}, { anonymousId: 'x' })]);
    const after = await profiles();
    expect(after['x']).toBe(after['u3']);
    expect(after['x']).toBe(before['x']);
    expect(new Set(Object.values(after)).size).toBe(3);
  });

  it('the profile that was created first survives when identities are only added', async () => {
    const resolver = await stage().resolver(BY);
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      await stage().write('c1', [imported(`u${at}`, 1, { email: `e${at}` })]);
      await resolveAll(resolver);
    }
    for (const { _profile_id } of await stage().rows()) ids.push(_profile_id ?? '');
    const join = async (id: string, emails: readonly string[]): Promise<void> => {
      for (const [at, email] of emails.entries())
        await stage().write('c1', [imported(`${id}${at}`, 1, { email, phone: id })]);
      // Without a higher identifier it is joined with all who have the phone.
      await stage().write('c1', [imported(id, 1, { phone: id })]);
      await resolveAll(resolver);
    };
    await join('p', ['e3', 'e2']);
    await join('q', ['e1', 'e3']);
    await join('r', ['e0', 'e1']);
    const [first = '', second = '', third = '', fourth = ''] = ids;
    expect((await stage().profiles()).map(({ _profile_id }) => _profile_id)).toEqual([first]);
    expect(await stage().aliases()).toEqual(
      new Map([
        [second, first],
        [third, first],
        [fourth, first],
      ]),
    );
  });
};
