import { away, type Call, failing, installation, never, owned, rests } from './member.fixture';

describe('a member that is alone', () => {
  it('owns all partitions as soon as the store has answered', async () => {
    const { clock, join } = installation();
    const member = join('a', 3);
    expect([...member.ownership.states().values()]).toEqual(['released', 'released', 'released']);
    await clock.advance(0);
    expect(owned(member)).toEqual([0, 1, 2]);
    expect([0, 1, 2, 3].map((each) => member.ownership.holds(each))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(member.host.notes).toEqual(['0 take 0', '0 take 1', '0 take 2']);
  });

  it('keeps them, with a renewal and a roll call each third of a lease', async () => {
    const { clock, join } = installation();
    const member = join('a', 3);
    await clock.advance(100_000);
    const calls = (kind: Call) => member.store.calls.filter((each) => each === kind).length;
    expect([calls('acquire'), calls('restore')]).toEqual([1, 3]);
    expect(calls('renew')).toBeLessThanOrEqual(30);
    expect(calls('beat')).toBeLessThanOrEqual(31);
    expect(member.host.notes).toHaveLength(3);
    expect(owned(member)).toHaveLength(3);
  });

  it.each<[Call, boolean]>([
    ['beat', false],
    ['beat', true],
    ['acquire', false],
    ['acquire', true],
    ['restore', false],
    ['restore', true],
    ['renew', false],
    ['renew', true],
  ])('survives one %s that fails (after it was executed: %s)', async (kind, isDone) => {
    const { clock, join } = installation();
    const member = join('a', 2);
    failing(member, kind, 1, isDone);
    await clock.advance(5_000);
    expect(owned(member)).toEqual([0, 1]);
    expect(member.errors).toHaveLength(1);
    expect(member.host.notes).toHaveLength(2);
  });

  it('gives the partitions up before the lease ends when it cannot renew it', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(0);
    member.store.script = (call, work) => (call === 'renew' ? away() : work());
    await clock.advance(9_499);
    expect(member.ownership.holds(0)).toBe(true);
    await clock.advance(1);
    expect(member.host.notes).toEqual(['0 take 0', '9500 lost 0']);
    expect(member.ownership.holds(0)).toBe(false);
    expect(member.store.calls.filter((each) => each === 'renew').length).toBeGreaterThanOrEqual(6);
  });

  it('holds until just before the end of the lease, even if no timer has run', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(0);
    clock.freeze(9_999);
    expect(member.ownership.holds(0)).toBe(true);
    clock.freeze(1);
    expect(member.ownership.holds(0)).toBe(false);
  });

  it('counts a lease from the time of the request', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    member.store.script = async (call, work) => {
      const answer = await work();
      if (call === 'acquire') await rests(clock, 3_000);
      return answer;
    };
    await clock.advance(3_000);
    expect(owned(member)).toEqual([0]);
    clock.freeze(6_999);
    expect(member.ownership.holds(0)).toBe(true);
    clock.freeze(1);
    expect(member.ownership.holds(0)).toBe(false);
  });

  it('counts a renewal from the time of the request', async () => {
    const { clock, join } = installation();
    const member = join('a', 1, { beatMs: 4_000 });
    await clock.advance(0);
    member.store.script = async (_, work) => {
      const answer = await work();
      await rests(clock, 5_000);
      return answer;
    };
    await clock.advance(9_000);
    clock.freeze(4_999);
    expect(member.ownership.holds(0)).toBe(true);
    clock.freeze(1);
    expect(member.ownership.holds(0)).toBe(false);
  });

  it('keeps the lease when one renewal is answered, however many earlier ones were not', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(0);
    let count = 0;
    member.store.script = (call, work) =>
      call === 'renew' && (count += 1) <= 2 ? never() : work();
    await clock.advance(30_000);
    expect(member.host.notes).toEqual(['0 take 0']);
  });

  it('acquires a partition again after the database was unavailable for a minute', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(0);
    member.store.script = away;
    await clock.advance(60_000);
    member.store.script = (_, work) => work();
    await clock.advance(1_500);
    expect(owned(member)).toEqual([0]);
    expect(member.host.notes.map((each) => each.replace(/\d+ /, ''))).toEqual([
      'take 0',
      'lost 0',
      'take 0',
    ]);
  });
});

describe('a process that was frozen', () => {
  it('holds nothing when it wakes, and finds its leases lost', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(5_000);
    clock.freeze(20_000);
    expect(member.ownership.holds(0)).toBe(false);
    await clock.advance(0);
    expect(member.host.notes).toEqual(['0 take 0', '25000 lost 0']);
    expect(member.ownership.holds(0)).toBe(false);
    await clock.advance(1_000);
    expect(owned(member)).toEqual([0]);
  });
});

describe('a host that learns of a new owner', () => {
  it('gets a call of lost at once', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(0);
    member.ownership.lose({ partition: 0, epoch: 1 });
    expect(member.host.notes).toEqual(['0 take 0', '0 lost 0']);
    expect(member.ownership.holds(0)).toBe(false);
  });

  it('does not end a later lease of its own', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    await clock.advance(0);
    member.ownership.lose({ partition: 0, epoch: 1 });
    await clock.advance(1_000);
    member.ownership.lose({ partition: 0, epoch: 1 });
    expect(owned(member)).toEqual([0]);
  });

  it('does not stop the others when it throws', async () => {
    const { clock, join } = installation();
    const member = join('a', 2);
    await clock.advance(0);
    member.host.lost = () => {
      throw new Error('a bug');
    };
    member.store.script = away;
    await clock.advance(10_000);
    expect([0, 1].map((each) => member.ownership.holds(each))).toEqual([false, false]);
    expect(new Set(member.ownership.states().values())).toEqual(new Set(['wanted']));
  });
});
describe('a partition that cannot be taken', () => {
  it('is released, and claimed again after 100 ms to a second', async () => {
    const { clock, join, table } = installation();
    const member = join('a', 1);
    member.host.takes = () => {
      expect(table.owners().get(0)).toBe('a');
      return Promise.reject(new Error('unreadable'));
    };
    await clock.advance(30_000);
    const times = member.host.notes.filter((each) => each.includes('take')).map(parseFloat);
    const pauses = times.slice(1).map((each, index) => each - (times[index] ?? 0));
    expect(pauses.slice(0, 5)).toEqual([100, 200, 400, 500, 500]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1_000);
    expect(member.ownership.states().get(0)).toBe('wanted');
    expect(table.owners().get(0)).toBeNull();
    expect(member.errors).toHaveLength(times.length);
  });

  it('is not kept by a member whose host hangs', async () => {
    const { clock, join, table } = installation();
    const member = join('a', 1, { takeMs: 20_000 });
    let signal: AbortSignal | undefined;
    member.host.takes = (_, given) => {
      signal ??= given;
      return never();
    };
    await clock.advance(19_999);
    expect([signal?.aborted, member.ownership.states().get(0)]).toEqual([false, 'restoring']);
    await clock.advance(5_001);
    expect(signal?.aborted).toBe(true);
    expect(member.host.notes).toEqual(['0 take 0', '25000 lost 0']);
    const other = join('b', 1);
    member.store.script = away;
    await clock.advance(11_500);
    expect(table.owners().get(0)).toBe('b');
    expect(owned(other)).toEqual([0]);
  });

  it('has more time with each attempt', async () => {
    const { clock, join } = installation();
    const member = join('a', 1, { takeMs: 20_000 });
    member.host.takes = (_, signal) =>
      Promise.race([
        rests(clock, 30_000),
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('too slow'));
          });
        }),
      ]);
    await clock.advance(60_000);
    expect(owned(member)).toEqual([0]);
  });

  it('is not handed to the host when the lease ended while it was restored', async () => {
    const { clock, join } = installation();
    const member = join('a', 1);
    let answer: () => void = () => undefined;
    member.store.script = async (call, work) => {
      const result = await work();
      if (call === 'restore') await new Promise<void>((resolve) => (answer = resolve));
      return result;
    };
    await clock.advance(0);
    clock.freeze(20_000);
    answer();
    await clock.settle();
    expect(member.host.notes).toEqual([]);
  });
});
