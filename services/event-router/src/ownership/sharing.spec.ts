import { away, installation, owned, rests, type TestMember } from './member.fixture';

describe('several members', () => {
  it.each([0, 1, 5, 8, 12, 20, 30])(
    'that start %i ms apart share all partitions',
    async (apartMs) => {
      const { clock, join } = installation();
      const slow = (member: TestMember) => {
        member.store.script = async (_, work) => {
          await rests(clock, 3);
          const answer = await work();
          await rests(clock, 4);
          return answer;
        };
        return member;
      };
      const a = slow(join('a', 4));
      await clock.advance(apartMs);
      const b = slow(join('b', 4));
      await clock.advance(10_000);
      expect([...owned(a), ...owned(b)].sort()).toEqual([0, 1, 2, 3]);
      expect(owned(a)).toHaveLength(2);
    },
  );

  it('give a third member its share within ten seconds, and move nothing else', async () => {
    const { clock, join } = installation();
    const [a, b] = [join('a', 6), join('b', 6)];
    await clock.advance(20_000);
    const before = [owned(a), owned(b)];
    a.host.leaves = b.host.leaves = (_, deadline) =>
      new Promise((resolve) => {
        deadline.addEventListener('abort', () => {
          resolve();
        });
      });
    const c = join('c', 6);
    await clock.advance(10_000);
    expect(owned(c)).toHaveLength(2);
    expect([a, b].map((each) => owned(each).length)).toEqual([2, 2]);
    expect(before[0]).toEqual(expect.arrayContaining(owned(a)));
    expect(before[1]).toEqual(expect.arrayContaining(owned(b)));
  });

  it('take over from a killed one within lease, margin and the interval of roll calls', async () => {
    const { clock, table, join } = installation();
    const a = join('a', 3);
    const dead = table.as('dead');
    await clock.advance(20_000);
    await dead.beat(3);
    await a.ownership.stop();
    await dead.acquire([0, 1, 2]);
    const b = join('b', 3);
    await clock.advance(11_000);
    expect(owned(b)).toEqual([]);
    await clock.advance(501);
    expect(owned(b)).toEqual([0, 1, 2]);
  });

  it('have their own partitions again after the database was unavailable for all', async () => {
    const { clock, join } = installation();
    const members = [join('a', 6), join('b', 6), join('c', 6)];
    await clock.advance(30_000);
    const before = members.map(owned);
    for (const each of members) each.store.script = away;
    await clock.advance(60_000);
    for (const each of members) each.store.script = (_, work) => work();
    await clock.advance(3_000);
    expect(members.map(owned)).toEqual(before);
    for (const { host } of members)
      expect(host.notes.slice(-2).every((each) => each.includes('take'))).toBe(true);
  });

  it('may be more than there are partitions', async () => {
    const { clock, join } = installation();
    const members = ['a', 'b', 'c'].map((name) => join(name, 2));
    await clock.advance(20_000);
    expect(members.map((each) => owned(each).length)).toEqual([1, 1, 0]);
  });
});
