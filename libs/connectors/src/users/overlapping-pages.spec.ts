import { newRecord } from '@penstock/schema';
import fc from 'fast-check';
import type { Answer, UserPage } from '../connector/user-source';
import { type OffsetPage, type PlacedUser, readOverlapping } from './overlapping-pages';
import { TOO_LONG } from './read-json';

interface Member {
  readonly id: string;
  order: number;
}

const timeAt = (seconds: number): string =>
  new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString().replace('.000Z', 'Z');

const placed = ({ id, order }: Member): PlacedUser => ({
  order: timeAt(order),
  user: { id, updatedAt: timeAt(order), values: newRecord() },
});

/** Members in the order of their last change; equal times stay in the order in which they came. */
class Account {
  readonly members: Member[];
  requests = 0;

  /** @param spread how many members share a time. */
  constructor(count: number, spread: number) {
    this.members = Array.from({ length: count }, (_, n) => ({
      id: `u${String(n)}`,
      order: Math.floor(n / spread),
    }));
  }

  readonly fetch = (offset: number, size: number): Promise<Answer<OffsetPage>> => {
    this.requests += 1;
    const page = this.members.slice(offset, offset + size).map(placed);
    return Promise.resolve({
      kind: 'answered',
      value: { placed: page, total: this.members.length },
    });
  };

  delete(at: number): void {
    this.members.splice(at % Math.max(1, this.members.length), 1);
  }

  /** A changed member moves to the end: its time is later than it was. */
  change(at: number): void {
    const [member] = this.members.splice(at % Math.max(1, this.members.length), 1);
    if (member === undefined) return;
    const last = this.members.at(-1)?.order ?? 0;
    this.members.push({ ...member, order: Math.max(last, member.order + 1) });
  }

  add(n: number): void {
    this.members.push({ id: `new${String(n)}`, order: (this.members.at(-1)?.order ?? 0) + 1 });
  }
}

const read = async (
  cursor: string,
  account: Pick<Account, 'fetch'>,
  pageSize = 5,
): Promise<UserPage> => {
  const answer = await readOverlapping(cursor, { pageSize, keep: () => true, ...account });
  if (answer.kind !== 'answered') throw new Error(answer.reason);
  return answer.value;
};

const change = fc.record({
  kind: fc.constantFrom('delete', 'change', 'add'),
  at: fc.nat(60),
});

it('reads everybody who was there all the time, whatever happens between two pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 2, max: 9 }),
      fc.array(fc.array(change, { maxLength: 25 }), { maxLength: 12 }),
      async (count, spread, pageSize, changes) => {
        const account = new Account(count, spread);
        const there = new Set(account.members.map(({ id }) => id));
        const seen = new Set<string>();
        let turn = 0;
        for (let cursor: string | null = ''; cursor !== null; turn += 1) {
          const page: UserPage = await read(cursor, account, pageSize);
          expect(page.users.length > 0 || page.next === null).toBe(true);
          expect(turn).toBeLessThan(1_000);
          for (const { id } of page.users) seen.add(id);
          for (const { kind, at } of changes[turn] ?? []) {
            if (kind === 'delete') account.delete(at);
            else if (kind === 'change') account.change(at);
            else account.add(at);
          }
          const now = new Set(account.members.map(({ id }) => id));
          for (const id of there) if (!now.has(id)) there.delete(id);
          cursor = page.next;
        }
        expect([...there].filter((id) => !seen.has(id))).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

it('reads each user once, with one request a page, while nothing changes', async () => {
  const account = new Account(21, 4);
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: UserPage = await read(cursor, account);
    ids.push(...page.users.map(({ id }) => id));
    cursor = page.next;
  }
  expect(ids).toEqual(account.members.map(({ id }) => id));
  expect(account.requests).toBe(5);
});

it('reads a page again from its start when the last user of the one before is not there', async () => {
  const account = new Account(20, 1);
  const { next } = await read('', account);
  account.members.splice(0, 3);
  account.requests = 0;
  const page = await read(next ?? '', account);
  expect(page.users.map(({ id }) => id)).toEqual(['u3', 'u4', 'u5', 'u6', 'u7']);
  expect(account.requests).toBe(2);
});

it('goes back in growing steps when many users have gone', async () => {
  const account = new Account(2_000, 1);
  let cursor = '';
  for (let page = 0; page < 300; page += 1) cursor = (await read(cursor, account)).next ?? '';
  account.members.splice(0, 1_000);
  account.requests = 0;
  const page = await read(cursor, account);
  expect(account.requests).toBeLessThan(12);
  expect(page.users.length).toBeGreaterThan(0);
});

it('asks for fewer users when an answer is too long, and goes on with as few', async () => {
  const account = new Account(20, 1);
  const sizes: number[] = [];
  const fetch = (offset: number, size: number): Promise<Answer<OffsetPage>> => {
    sizes.push(size);
    return size > 3 ? Promise.resolve(TOO_LONG) : account.fetch(offset, size);
  };
  const { next, users } = await read('', { fetch }, 12);
  expect(users.map(({ id }) => id)).toEqual(['u0', 'u1', 'u2']);
  await read(next ?? '', { fetch }, 12);
  expect(sizes).toEqual([12, 6, 3, 3]);
});

it('is rejected when two users are too long', async () => {
  const fetch = (): Promise<Answer<OffsetPage>> => Promise.resolve(TOO_LONG);
  const answer = await readOverlapping('', { pageSize: 8, keep: () => true, fetch });
  expect(answer).toBe(TOO_LONG);
});

it('leaves out who is not wanted, and gives no empty page but the last', async () => {
  const account = new Account(30, 1);
  const keep = ({ id }: { id: string }): boolean => Number(id.slice(1)) >= 25;
  const answer = await readOverlapping('', { pageSize: 5, keep, fetch: account.fetch });
  if (answer.kind !== 'answered') throw new Error(answer.reason);
  expect(answer.value.users.map(({ id }) => id)).toEqual(['u25', 'u26', 'u27', 'u28']);
});

it('is unavailable when the application always gives the same user', async () => {
  const page = { placed: [placed({ id: 'u0', order: 0 })], total: 10 };
  const fetch = (): Promise<Answer<OffsetPage>> =>
    Promise.resolve({ kind: 'answered', value: page });
  const answer = await readOverlapping(`0~5~${timeAt(0)}~u0`, {
    ...{ pageSize: 5, keep: () => true, fetch },
  });
  expect(answer).toMatchObject({ kind: 'unavailable' });
});

it.each(['x', '1', '1~5', '-1~5~~u', '1~6~~u', '1~1~~u', '1234567890~5~~u'])(
  'has no page %j',
  async (cursor) => {
    const { fetch } = new Account(9, 1);
    const answer = await readOverlapping(cursor, { pageSize: 5, keep: () => true, fetch });
    expect(answer).toEqual({ kind: 'rejected', reason: 'no such page' });
  },
);
