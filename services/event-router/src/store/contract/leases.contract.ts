import { LeaseLost } from '../router-store';
import { acquired, changesOf } from './changes.fixture';
import { LEASE_MS, type StoreHarness } from './store-harness';

/** A partition has one owner at a time, and each member sees the others. */
export const itSharesPartitions = ({ open, pass, kill }: StoreHarness): void => {
  it('gives a partition to one member at a time, with a higher epoch each time', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const first = await one.acquire([1, 0]);
    expect(first).toEqual([
      { partition: 0, epoch: 1 },
      { partition: 1, epoch: 1 },
    ]);
    expect(await other.acquire([0, 1, 2])).toEqual([{ partition: 2, epoch: 1 }]);
    await one.release(first.slice(0, 1));
    expect(await other.acquire([0, 1])).toEqual([{ partition: 0, epoch: 2 }]);
  });

  it('lets a member acquire its own partition again', async () => {
    const store = await open('one');
    await acquired(store);
    expect(await store.acquire([0])).toEqual([{ partition: 0, epoch: 2 }]);
  });

  it('frees a partition a second after its lease has ended', async () => {
    const [one, other] = [await open('one'), await open('other')];
    await acquired(one);
    await pass(LEASE_MS);
    expect((await other.beat(1)).leases).toEqual([{ partition: 0, member: 'one', isFree: false }]);
    expect(await other.acquire([0])).toEqual([]);
    await pass(1_500);
    expect((await other.beat(1)).leases).toEqual([{ partition: 0, member: 'one', isFree: true }]);
    expect(await other.acquire([0])).toEqual([{ partition: 0, epoch: 2 }]);
  });

  it('renews a lease, lapsed or not, as long as no other member has taken the partition', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const grants = await one.acquire([0, 1]);
    await pass(LEASE_MS + 2_000);
    expect([...(await one.renew(grants))].sort()).toEqual([0, 1]);
    expect(await other.acquire([0, 1])).toEqual([]);
    await pass(LEASE_MS + 2_000);
    await other.acquire([0]);
    expect(await one.renew(grants)).toEqual([1]);
    expect(await one.renew([])).toEqual([]);
  });

  it('ignores the release of a lost lease', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const lost = await acquired(one);
    await pass(LEASE_MS + 2_000);
    await acquired(other);
    await one.release([lost]);
    expect((await one.beat(1)).leases).toEqual([{ partition: 0, member: 'other', isFree: false }]);
  });

  it('frees the lease of a dead process at once', async () => {
    const [one, other] = [await open('one'), await open('other')];
    await one.beat(1);
    await acquired(one);
    await kill('one');
    expect(await other.beat(1)).toEqual({
      members: ['other'],
      leases: [{ partition: 0, member: 'one', isFree: true }],
    });
    expect(await other.acquire([0])).toEqual([{ partition: 0, epoch: 2 }]);
  });

  it('lists the members whose last beat is within a lease, the oldest member first', async () => {
    const [b, a, c] = [await open('b'), await open('a'), await open('c')];
    await b.beat(0);
    await pass(10);
    await a.beat(0);
    await pass(10);
    expect((await c.beat(0)).members).toEqual(['b', 'a', 'c']);
    await pass(LEASE_MS / 2);
    await b.beat(0);
    await a.beat(0);
    await pass(LEASE_MS / 2 + 500);
    expect((await a.beat(0)).members).toEqual(['b', 'a']);
    await b.leave();
    expect((await a.beat(0)).members).toEqual(['a']);
    await a.sweep();
    expect((await c.beat(0)).members).toEqual(expect.arrayContaining(['a', 'c']));
  });

  it('has the given member id, and lists all partitions, free ones too', async () => {
    const store = await open('one');
    expect(store.member).toBe('one');
    await acquired(store, 1);
    expect(await store.beat(3)).toEqual({
      members: ['one'],
      leases: [
        { partition: 0, member: null, isFree: true },
        { partition: 1, member: 'one', isFree: false },
        { partition: 2, member: null, isFree: true },
      ],
    });
    expect((await store.beat(2)).leases).toHaveLength(2);
  });

  it('neither restores nor commits for an earlier owner', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const before = await acquired(one);
    await one.release([before]);
    const now = await acquired(other);
    await expect(one.restore(before)).rejects.toThrow(LeaseLost);
    expect(await one.commit([changesOf(before, 1)])).toEqual([0]);
    expect((await other.restore(now)).sequence).toBe(0);
  });
};
