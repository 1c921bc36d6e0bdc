import type { HistorySource, ConnectionId } from '@penstock/contracts';
import { KafkaMessageLog, type MessageLog, PrefixedLog } from '@penstock/messaging';
import { readHistory, PipelineServiceClient } from '@penstock/platform';
import { newId } from '@penstock/runtime';
import { testBrokers } from '@penstock/test-servers';
import { isDeepStrictEqual } from 'node:util';
import type { RunningPipelineService } from '../create-pipeline-service';
import { eventually } from '../testing/eventually.fixture';
import { Installation, type InstallationOptions } from '../testing/installation.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let client: PipelineServiceClient;
let history: HistorySource['connectionStates'];
let service: RunningPipelineService;

/** The same log, which counts how many readers of answers were started and stopped. */
const watched = (log: MessageLog) => {
  const readers = { begun: 0, ended: 0 };
  const follow: MessageLog['follow'] = async (options) => {
    readers.begun += 1;
    const reader = await log.follow(options);
    const stop = async (): Promise<void> => {
      readers.ended += 1;
      await reader.stop();
    };
    return { ...reader, stop };
  };
  return { readers, log: Object.assign(Object.create(log) as MessageLog, { follow }) };
};

const onKafka: InstallationOptions = {
  openLog: () =>
    new PrefixedLog(
      new KafkaMessageLog({ brokers: testBrokers(), clientId: 'spec' }),
      `history-${newId()}-`,
    ),
};

// That both logs are alike is shown by the contract of logs.
describe.each<[string, InstallationOptions]>([
  ['the embedded log', {}],
  ...(process.env['PENSTOCK_TEST_LONG'] === '1'
    ? [['Kafka', onKafka] as [string, InstallationOptions]]
    : []),
])('over %s, the pipeline service', (_, log) => {
  beforeAll(async () => {
    installation = await Installation.open(log);
    service = await installation.start();
    client = new PipelineServiceClient({ log: installation.log, service: 'a router' });
    history = readHistory(client).connectionStates;
  });

  afterAll(async () => {
    await client.close();
    await installation.close();
  });

  /** Position of a change, and the destinations that are linked from there on; `null`: the source was deleted. */
  type Change = readonly [position: number, links: readonly string[] | null];

  /** Links and unlinks a source, then deletes it. */
  const live = async (): Promise<{ readonly source: ConnectionId; readonly changes: Change[] }> => {
    const [one, other] = [await installation.destination(), await installation.destination()];
    const source = await installation.source();
    const changes: Change[] = [];
    const change = async (
      type: 'LinkConnections' | 'UnlinkConnections',
      destination: string,
      links: readonly string[],
    ): Promise<void> => {
      const { position } = await installation.recorded(type, { source, destination });
      changes.push([position, links]);
    };
    await change('LinkConnections', one, [one]);
    await change('LinkConnections', other, [one, other]);
    await change('UnlinkConnections', one, [other]);
    await installation.command('UpdateConnection', { id: other, name: 'Another object' });
    await change('LinkConnections', one, [other, one]);
    const without = await installation.recorded('DeleteConnection', { id: other });
    changes.push([without.position - 1, [one]]);
    const end = await installation.recorded('DeleteConnection', { id: source });
    changes.push([end.position, null]);
    return { source, changes };
  };

  const linksOf = async (source: ConnectionId, from: number, to: number) => {
    const states = await history(source, from, to);
    return states.map(({ position, state }) => [position, state.deleted ? null : state.links]);
  };

  it('returns the state of a connection at each position, also long after', async () => {
    const { source, changes } = await live();
    const [first = 0, last = 0] = [changes[0]?.[0], changes.at(-1)?.[0]];
    for (let position = first; position <= last + 3; position += 1) {
      const held = changes.findLast(([changed]) => changed <= position);
      expect([position, await linksOf(source, position, position + 1)]).toEqual([position, [held]]);
    }
    expect(await linksOf(source, first, last + 1)).toEqual(changes);
    expect(await linksOf(source, first + 1, last)).toEqual(changes.slice(1, -1));
    expect(await linksOf(source, last, first)).toEqual([]);
    expect(await linksOf(source, first, first)).toEqual([]);
  });

  it('returns nothing from before a connection existed, and nothing for an unknown one', async () => {
    const source = await installation.source();
    const [made] = await history(source, 0, Number.MAX_SAFE_INTEGER);
    const position = made?.position ?? 0;
    expect(made?.state).toMatchObject({ id: source, version: 1, deleted: false, links: [] });
    expect(await history(source, 0, position)).toEqual([]);
    expect(await history(source, position - 1, position + 1)).toEqual([made]);
    expect(await history(newId() as ConnectionId, 0, Number.MAX_SAFE_INTEGER)).toEqual([]);
  });

  it('returns no secret', async () => {
    const settings = installation.sealed({
      url: 'https://example.com/',
      auth: { type: 'bearer', token: 'secret-token-1234' },
    });
    const delivery = { timeoutSeconds: 7 };
    const id = await installation.destination({ connector: 'http', settings, delivery });
    const [destination] = await history(id, 0, Number.MAX_SAFE_INTEGER);
    expect(destination?.state).toEqual({
      kind: 'connection',
      id,
      workspace: installation.workspace,
      version: 1,
      deleted: false,
      name: 'A connection',
      connector: 'http',
      connectorType: 'Application',
      role: 'Destination',
      sendingMode: 'Server',
      links: [],
      delivery,
    });
    const source = await installation.source();
    for (const { state } of await history(source, 0, Number.MAX_SAFE_INTEGER))
      expect(state).not.toHaveProperty('writeKeys');
  });

  /** Appends facts of a source directly to the database. */
  const addFacts = async (source: string, count: number, linksEach: number): Promise<number> => {
    await installation.pool.query(
      `WITH head AS (
       UPDATE penstock.head SET position = position + $2 RETURNING position - $2 AS before
     ), newest AS (
       SELECT * FROM penstock.facts WHERE stream = 'connection-' || $1 ORDER BY version DESC LIMIT 1
     )
     INSERT INTO penstock.facts (position, stream, version, type, schema_version, time, actor, request_id, causation,
                                 data, state, owner, hash)
     SELECT head.before + n, stream, version + n, 'ConnectionLinked', schema_version, time, actor, request_id,
            causation, '{"destination":"d"}',
            (state::jsonb || jsonb_build_object('version', version + n, 'links',
              (SELECT coalesce(jsonb_agg(lpad(each::text, 20, '0')), '[]') FROM generate_series(1, $3::int) each)))::json,
            owner, hash
     FROM head, newest, generate_series(1, $2::int) n`,
      [source, count, linksEach],
    );
    const { rows } = await installation.pool.query<{ position: string }>(
      'SELECT position FROM penstock.head',
    );
    return Number(rows[0]?.position);
  };

  describe('a long history', () => {
    const versionsOf = async (source: ConnectionId, from: number, to: number): Promise<number[]> =>
      (await history(source, from, to)).map(({ state }) => state.version);

    it.each([
      ['one state less than an answer holds', 998],
      ['as many as an answer holds', 999],
      ['one more', 1_000],
      ['the states of several answers', 3_100],
    ])('with %s is returned completely', async (_title, count) => {
      const source = await installation.destination();
      const end = await addFacts(source, count, 0);
      const all = Array.from({ length: count + 1 }, (_unused, index) => index + 1);
      expect(await versionsOf(source, 0, end + 1)).toEqual(all);
      expect(await versionsOf(source, end, end + 1)).toEqual([count + 1]);
    });

    it('of large states is returned in answers that fit into a message', async () => {
      const source = await installation.destination();
      const end = await addFacts(source, 7, 12_000);
      const [first] = await history(source, end, end + 1);
      expect(JSON.stringify(first).length).toBeGreaterThan(250_000);
      expect(await versionsOf(source, 0, end + 1)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });
  });

  describe('a client', () => {
    it('receives the answers to its own queries, also when there are several', async () => {
      const { source, changes } = await live();
      const clients = [1, 2, 3].map(
        () => new PipelineServiceClient({ log: installation.log, service: 'a router' }),
      );
      const answers = await Promise.all(
        clients.flatMap((each) =>
          changes.map(([position]) =>
            readHistory(each).connectionStates(source, position, position + 1),
          ),
        ),
      );
      const expected = changes.map(([position]) => position);
      expect(answers.map(([answer]) => answer?.position)).toEqual([
        ...expected,
        ...expected,
        ...expected,
      ]);
      await Promise.all(clients.map((each) => each.close()));
    });

    it('reads answers only while it waits for some, and can query again afterwards', async () => {
      const source = await installation.source();
      const { readers, log: watchedLog } = watched(installation.log);
      const idle = new PipelineServiceClient({
        log: watchedLog,
        service: 'a router',
        idleMs: 20,
      });
      expect(readers).toEqual({ begun: 0, ended: 0 });
      for (let round = 1; round <= 3; round += 1) {
        const queries = [1, 2].map(() =>
          readHistory(idle).connectionStates(source, 0, Number.MAX_SAFE_INTEGER),
        );
        for (const answer of await Promise.all(queries)) expect(answer).not.toEqual([]);
        const all = { begun: round, ended: round };
        await eventually(
          () => ({ ...readers }),
          (seen) => isDeepStrictEqual(seen, all),
        );
      }
      await idle.close();
    });

    it('fails when nobody answers, and can query again', async () => {
      const source = await installation.source();
      await installation.stop(service);
      const hasty = new PipelineServiceClient({
        log: installation.log,
        service: 'a router',
        timeoutMs: 100,
      });
      const query = readHistory(hasty).connectionStates;
      await expect(query(source, 0, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({
        name: 'RequestTimeout',
      });
      service = await installation.start();
      expect(await history(source, 0, Number.MAX_SAFE_INTEGER)).not.toEqual([]);
      await hasty.close();
    });
  });
});
