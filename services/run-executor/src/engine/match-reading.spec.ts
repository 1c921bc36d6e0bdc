import type { MatchWriter } from '@penstock/warehouses';
import { ExportBatches } from './export-batches';
import { FakeLedger } from './fake-ledger.fixture';
import { FakeSource, NO_SCHEMA, recordOf } from './fake-source.fixture';
import { readMatches, USERS_START } from './match-reading';
import { Patience } from './patience';
import type { OpenedApplication } from './user-application';

const LIMITS = { backoffBaseMs: 20, backoffCapMs: 20, limitMs: 300, functionLimitMs: 300 };

const USERS = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) =>
  recordOf({ id, at: null, fate: 'ok', value: 1 }),
);

it('fails when an application that begins anew gets no further for too long', async () => {
  const { run, ledger } = new FakeLedger({ incremental: null, startingCursor: null }).claim();
  const { signal } = new AbortController();
  const awayAt = Array.from({ length: 1_000 }, (_, index) => (index + 1) * 3);
  const options = { pageSizes: [1], canResume: false, awayAt, onPage: () => Promise.resolve() };
  const matches: MatchWriter = {
    put: () => Promise.resolve(),
    find: () => Promise.resolve([]),
    forget: () => Promise.resolve(),
  };
  const reading = readMatches(
    USERS_START,
    { userSchema: NO_SCHEMA, textOf: () => 'a text' } as unknown as OpenedApplication,
    {
      ...{ users: new FakeSource(USERS, options), matches, ledger },
      batches: new ExportBatches(run, ledger),
      limits: { size: 1, stallMs: 50 },
      patience: new Patience(LIMITS, signal, () => undefined),
    },
    signal,
  );
  await expect(reading).rejects.toMatchObject({ step: 'Receive', code: 'Unavailable' });
});
