import { FakeClock } from '../testing/fake-clock';
import { LeaseTable } from './lease-table.fixture';
import {
  away,
  type Call,
  failing,
  installation,
  LEASE_MS,
  never,
  owned,
  rests,
  testMember,
} from './member.fixture';

describe('handing over', () => {
  it('lets requests in flight end, then releases', async () => {
    const { clock, table, join } = installation();
    const a = join('a', 2);
    await clock.advance(500);
    a.host.leaves = () => rests(clock, 2_000);
    const b = join('b', 2);
    await clock.advance(3_334);
    expect(a.ownership.states().get(1)).toBe('leaving');
    expect([a.ownership.holds(1), b.ownership.holds(1)]).toEqual([true, false]);
    await clock.advance(2_500);
    expect(table.owners()).toEqual(
      new Map([
        [0, 'a'],
        [1, 'b'],
      ]),
    );
    expect(a.host.notes.slice(2)).toEqual(['3833 leave 1', '5833 left 1']);
    expect(a.ownership.states().get(1)).toBe('released');
    expect(owned(b)).toEqual([1]);
  });

  it('gives up on a host that hangs, and lets its lease lapse', async () => {
    const { clock, table, join } = installation();
    const a = join('a', 1);
    await clock.advance(0);
    let deadline: AbortSignal | undefined;
    a.host.leaves = (_, signal) => {
      deadline = signal;
      return never();
    };
    const stopped = jest.fn();
    void a.ownership.stop().then(stopped);
    const b = join('b', 1);
    await clock.advance(4_999);
    expect(deadline?.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline?.aborted).toBe(true);
    await clock.advance(4_999);
    expect(stopped).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(stopped).toHaveBeenCalled();
    expect(a.host.notes.at(-1)).toBe('10000 lost 0');
    expect(table.owners().get(0)).toBe('a');
    await clock.advance(11_500);
    expect(owned(b)).toEqual([0]);
  });

  it('releases a partition whose hand-over failed after it has called lost of the host', async () => {
    const { clock, table, join } = installation();
    const a = join('a', 1);
    await clock.advance(0);
    a.host.leaves = () => Promise.reject(new Error('commit failed'));
    await Promise.all([a.ownership.stop(), clock.advance(0)]);
    expect(a.host.notes.slice(1)).toEqual(['0 leave 0', '0 lost 0']);
    expect(table.owners().get(0)).toBeNull();
    expect(a.errors).toHaveLength(1);
  });

  it('retries a failed release', async () => {
    const { clock, table, join } = installation();
    const a = join('a', 1);
    await clock.advance(0);
    failing(a, 'release', 1, false);
    await Promise.all([a.ownership.stop(), clock.advance(1_000)]);
    expect(table.owners().get(0)).toBeNull();
  });

  it('ends when the lease is lost meanwhile', async () => {
    const { clock, table, join } = installation();
    const a = join('a', 1);
    await clock.advance(0);
    a.host.leaves = (_, deadline) =>
      new Promise((_resolve, reject) => {
        deadline.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    const stopping = a.ownership.stop();
    await clock.advance(0);
    a.ownership.lose({ partition: 0, epoch: 1 });
    await Promise.all([stopping, clock.advance(0)]);
    expect(a.host.notes.slice(1)).toEqual(['0 leave 0', '0 lost 0']);
    expect(a.store.calls).not.toContain('release');
    expect(table.known).toEqual([]);
  });
});

describe('stopping', () => {
  it('does not call leave for a partition that is lost at the same time', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(0);
    const stopping = member.ownership.stop();
    member.ownership.lose({ partition: 0, epoch: 1 });
    await Promise.all([stopping, clock.advance(0)]);
    expect(member.host.notes).toEqual(['0 take 0', '0 lost 0']);
  });

  it('releases everything and leaves the roll, once', async () => {
    const { clock, table, join } = installation();
    const member = join('a', 3);
    await clock.advance(1_000);
    const stopping = [member.ownership.stop(), member.ownership.stop()];
    await clock.advance(0);
    await Promise.all(stopping);
    expect([...table.owners().values()]).toEqual([null, null, null]);
    expect(table.known).toEqual([]);
    expect(member.store.calls.slice(-4)).toEqual(['release', 'release', 'release', 'leave']);
    expect(new Set(member.ownership.states().values())).toEqual(new Set(['released']));
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(member.store.calls.at(-1)).toBe('leave');
  });

  it.each<Call>(['beat', 'acquire', 'restore'])(
    'while a call to %s is under way ends in released',
    async (kind) => {
      const { clock, table, join } = installation();
      const member = join('a', 2);
      member.store.script = async (call, work) => {
        if (call === kind) await rests(clock, 1_000);
        const answer = await work();
        if (call === kind) await rests(clock, 1_000);
        return answer;
      };
      await clock.advance(500);
      const stopped = jest.fn();
      void member.ownership.stop().then(stopped);
      await clock.advance(5_000);
      expect(stopped).toHaveBeenCalled();
      expect([...table.owners().values()].filter((each) => each !== null)).toEqual([]);
      expect(table.known).toEqual([]);
      expect(member.host.has.size).toBe(0);
      expect(clock.pending).toBe(0);
    },
  );

  it('while the host takes a partition ends in released', async () => {
    const { clock, table, join } = installation();
    const member = join('a', 1);
    member.host.takes = () => rests(clock, 1_000);
    await clock.advance(500);
    const stopped = jest.fn();
    void member.ownership.stop().then(stopped);
    await clock.advance(500);
    expect(stopped).toHaveBeenCalled();
    expect(table.owners().get(0)).toBeNull();
    expect(member.host.has.size).toBe(0);
    expect(member.errors).toEqual([]);
  });

  it('releases a lease that is granted after the time limit of the call', async () => {
    const { clock, table, join } = installation();
    const member = join('a', 1);
    member.store.script = async (call, work) => {
      if (call === 'acquire') await rests(clock, 15_000);
      return work();
    };
    await clock.advance(1_000);
    const stopped = jest.fn();
    void member.ownership.stop().then(stopped);
    await clock.advance(9_000);
    expect(stopped).toHaveBeenCalled();
    await clock.advance(5_000);
    expect(table.rows.get(0)).toMatchObject({ member: null, epoch: 1 });
  });

  it('marks a lease as lost that a late grant has ended, before it releases the late one', async () => {
    const { clock, table, join } = installation();
    const member = join('a', 1);
    let count = 0;
    member.store.script = async (call, work) => {
      if (call === 'acquire' && (count += 1) === 1) await rests(clock, 12_000);
      return work();
    };
    await clock.advance(11_999);
    expect([owned(member), member.ownership.holds(0)]).toEqual([[0], true]);
    member.host.lost = (partition) => {
      expect(table.rows.get(partition)).toMatchObject({ member: 'a', epoch: 2 });
    };
    await clock.advance(1);
    expect(table.rows.get(0)).toMatchObject({ member: null, epoch: 2 });
    expect(member.ownership.holds(0)).toBe(false);
    await clock.advance(600);
    expect(owned(member)).toEqual([0]);
  });

  it('ends although the database is unavailable', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(0);
    member.store.script = away;
    const stopped = jest.fn();
    void member.ownership.stop().then(stopped);
    await clock.advance(10_000);
    expect(stopped).toHaveBeenCalled();
    expect(clock.pending).toBe(0);
  });

  it('ends although the database does not answer', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(0);
    member.store.script = never;
    const stopped = jest.fn();
    void member.ownership.stop().then(stopped);
    await clock.advance(15_000);
    expect(stopped).toHaveBeenCalled();
    expect(clock.pending).toBe(0);
  });

  it('before the start is harmless', async () => {
    const clock = new FakeClock();
    const { ownership } = testMember(new LeaseTable(clock, LEASE_MS), clock, 'a');
    await ownership.stop();
    expect(clock.pending).toBe(0);
  });
});
