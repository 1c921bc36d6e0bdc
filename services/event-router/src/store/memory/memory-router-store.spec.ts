import { DEAD_LETTER_DAYS, LEASE_MS, OUTCOME_DAYS } from '../contract/store-harness';
import { itKeepsTheRouterStorePromises } from '../router-store.contract';
import { MemoryDatabase } from './memory-database';
import { MemoryRouterStore } from './memory-router-store';

let nowMs: number;
let database: MemoryDatabase;

beforeEach(() => {
  nowMs = Date.now();
  database = new MemoryDatabase(() => nowMs);
});

itKeepsTheRouterStorePromises(
  {
    open: (memberId) =>
      Promise.resolve(
        new MemoryRouterStore(database, {
          memberId,
          leaseMs: LEASE_MS,
          deadLetterDays: DEAD_LETTER_DAYS,
          outcomeDays: OUTCOME_DAYS,
        }),
      ),
    nowMs: () => Promise.resolve(nowMs),
    pass: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
    kill: (member) => {
      database.kill(member);
      return Promise.resolve();
    },
    stored: () =>
      Promise.resolve({
        rows: database.rows,
        unreadable: database.unreadable.map(({ writtenMs: _, ...record }) => record),
        outcomes: database.outcomes.map(({ writtenMs: _, ...outcome }) => outcome),
        attempts: database.attempts.map(({ writtenMs: _, ...attempt }) => attempt),
        duplicates: database.duplicates.map(({ writtenMs: _, ...duplicate }) => duplicate),
        messages: [...database.messages]
          .map(([hash, { writtenMs: _, ...message }]) => ({ hash, ...message }))
          .sort((one, other) => (one.hash < other.hash ? -1 : 1)),
        counts: database.pipelineCounts,
        audiences: [...database.audiences.keys()].sort(),
        sources: database.sourceCounts,
        times: database.timesRows,
        waiting: [...database.waiting].flatMap(([partition, since]) =>
          [...since].sort().map(([about, sinceMs]) => [partition, about, sinceMs] as const),
        ),
      }),
  },
  process.env['PENSTOCK_TEST_LONG'] === '1' ? 500 : 100,
);
