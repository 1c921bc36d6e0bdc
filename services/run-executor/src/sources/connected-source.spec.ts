import { Invalid, newRecord, type Schema } from '@penstock/schema';
import { Away } from '../engine/away';
import { ConnectedSource } from './connected-source';

const SCHEMA: Schema = {
  kind: 'object',
  properties: [
    {
      ...{ name: 'id', type: { kind: 'string' }, prefilled: '', createRequired: false },
      ...{ updateRequired: false, readOptional: false, nullable: false, description: '' },
    },
  ],
};
const COLUMNS = { userID: 'id', updatedAt: null, updatedAtFormat: null };

/** What a connector throws that has a bug. */
const BUG = new TypeError('cannot read properties of undefined');

type Kind = 'application' | 'database' | 'file';

const SOURCES: Readonly<Record<Kind, object>> = {
  application: { kind: 'application' },
  database: { kind: 'database', query: 'SELECT 1', columns: COLUMNS },
  file: {
    ...{ kind: 'file', format: 'csv', path: 'a.csv', sheet: null, compression: '' },
    ...{ formatSettings: '{"hasColumnNames":true}', columns: COLUMNS },
  },
};

async function* firstThen<T>(first: T, error: Error): AsyncGenerator<T> {
  yield await Promise.resolve(first);
  throw error;
}

/** What a connector has for each kind of source; `later`: it fails behind its first records only. */
const failing = (kind: Kind, error: Error, later: boolean): object => {
  const close = (): Promise<void> => Promise.resolve();
  switch (kind) {
    case 'application':
      return {
        userSource: {
          limits: () => ({}),
          schema: () => Promise.resolve({ kind: 'answered', value: SCHEMA }),
          read: (_: unknown, __: unknown) => {
            if (!later) return Promise.reject(error);
            later = false;
            const users = [{ id: 'u1', updatedAt: null, values: newRecord() }];
            return Promise.resolve({ kind: 'answered', value: { users, next: 'c2' } });
          },
          readsChanges: false,
        },
      };
    case 'database':
      return {
        database: {
          query: () => {
            const records = firstThen([{ row: 1, values: { id: 'u1' } }], error);
            const rows = { schema: SCHEMA, issues: [], records, close };
            return later ? Promise.resolve(rows) : Promise.reject(error);
          },
        },
      };
    case 'file':
      return {
        fileStorage: {
          open: () => {
            const bytes = firstThen(Buffer.from(`id\n${'u\n'.repeat(100_000)}`), error);
            return later ? Promise.resolve({ bytes, close }) : Promise.reject(error);
          },
        },
      };
  }
};

const reading = async (
  kind: Kind,
  connector: object,
  checkSettings: () => unknown = () => new Map(),
): Promise<void> => {
  const source = new ConnectedSource(
    { connection: 'c', imports: { source: SOURCES[kind] } } as never,
    {
      replica: { connection: () => ({ id: 'c', connector: 'x', settings: '', workspace: 'w' }) },
      connectors: { get: () => ({ ...connector, checkSettings }) },
      seals: { open: () => '{}' },
      store: { takeTokens: () => Promise.resolve({ count: 1, waitMs: 0 }) },
      ...{ http: {}, sockets: {}, spool: {}, deadlineMs: 1_000, rowsMs: 1_000 },
    } as never,
  );
  const { signal } = new AbortController();
  const opened = await source.open({
    ...{ from: { kind: 'start' }, changedSince: null, schema: SCHEMA, signal },
  });
  try {
    for await (const { records } of opened.pages) expect(records.length).toBeGreaterThan(0);
  } finally {
    await opened.close();
  }
};

describe.each<Kind>(['application', 'database', 'file'])('a connector of the kind %s', (kind) => {
  it.each([
    ['when it is opened', false],
    ['while it is read', true],
  ])('that throws %s fails at Receive', async (_, later) => {
    await expect(reading(kind, failing(kind, BUG, later))).rejects.toMatchObject({
      ...{ name: 'WholeRunError', step: 'Receive', code: 'ConnectorFailed' },
      ...{ message: 'the connector has failed', cause: BUG },
    });
  });

  it('that cannot be reached is waited for', async () => {
    const away = new Away('not now');
    for (const later of [false, true])
      await expect(reading(kind, failing(kind, away, later))).rejects.toBe(away);
  });

  it('that does not know its settings any more fails at Receive, and names them', async () => {
    const unknown = (): never => {
      throw new Invalid([{ path: '/host', message: 'is missing' }]);
    };
    await expect(reading(kind, failing(kind, BUG, true), unknown)).rejects.toMatchObject({
      ...{ step: 'Receive', code: 'InvalidSettings', message: '/host: is missing' },
    });
  });
});

it.each<Kind>(['database', 'file'])(
  'a connector of the kind %s that fails when it is closed fails at Receive',
  async (kind) => {
    const bad = { ...failing(kind, BUG, true) };
    const close = (): Promise<void> => Promise.reject(BUG);
    const records = (async function* none() {})();
    const bytes = (async function* one() {
      yield await Promise.resolve(Buffer.from('id\nu1\n'));
    })();
    Object.assign(
      bad,
      kind === 'database'
        ? {
            database: {
              query: () => Promise.resolve({ schema: SCHEMA, issues: [], records, close }),
            },
          }
        : { fileStorage: { open: () => Promise.resolve({ bytes, close }) } },
    );
    await expect(reading(kind, bad)).rejects.toMatchObject({
      ...{ step: 'Receive', code: 'ConnectorFailed' },
    });
  },
);
