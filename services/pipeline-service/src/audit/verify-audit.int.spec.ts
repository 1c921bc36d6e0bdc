import { type ConnectionId, suppressionId, TOPIC } from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { KafkaMessageLog, type MessageLog, PrefixedLog } from '@penstock/messaging';
import { Differences, PositionSet } from '@penstock/platform';
import { newId } from '@penstock/runtime';
import { testBrokers } from '@penstock/test-servers';
import type { DataSource } from 'typeorm';
import { connectDatabase } from '../database/database';
import {
  aWriteKey,
  Installation,
  type InstallationOptions,
  SECRETS,
} from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';
import { Random } from '../testing/random.fixture';
import { StateChecks } from './check-states';
import { StoredFacts } from './stored-facts';
import { verifyAudit } from './verify-audit';

jest.setTimeout(120_000);

const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';

let installation: Installation;
let database: DataSource;

/** Many concurrent changes of objects that others may be deleting; refusals are ignored. */
const changeAtRandom = async (random: Random, count: number): Promise<void> => {
  const made = async (make: () => Promise<string>) => [await make(), await make(), await make()];
  const sources = await made(() => installation.source());
  const destinations = await made(() => installation.destination());
  const pipelines: string[] = [];
  const any = (ids: readonly string[]): string => random.pick(ids) ?? '';
  const create = async (): Promise<unknown> => {
    const { id } = await installation.command('CreatePipeline', aPipeline(any(destinations)));
    return pipelines.push(id);
  };
  await create();
  await create();
  /** One of a few values, so that some are repeated. */
  const user = () => ({
    id: suppressionId((text) => SECRETS.keyedHash(text), installation.workspace, any(['a', 'b'])),
  });
  const changes: (() => Promise<unknown>)[] = [
    async () => sources.push(await installation.source()),
    async () => destinations.push(await installation.destination()),
    create,
    () =>
      installation.command('SetPipelineStatus', {
        id: any(pipelines),
        enabled: random.next() < 0.5,
      }),
    () => installation.command('DeletePipeline', { id: any(pipelines) }),
    () =>
      installation.command('LinkConnections', {
        source: any(sources),
        destination: any(destinations),
      }),
    () =>
      installation.command(
        random.pick(['SuppressUser', 'UnsuppressUser'] as const) ?? 'SuppressUser',
        user(),
      ),
    () =>
      installation.command('CreateEventWriteKey', {
        connection: any(sources),
        key: aWriteKey(installation.workspace),
      }),
    () =>
      installation.command('UpdateConnection', {
        id: any(destinations),
        name: newId(),
        settings: installation.sealed({ userCount: 7 }),
        ...random.pick([
          {},
          { delivery: null },
          { delivery: {} },
          { delivery: { timeoutSeconds: 5 } },
        ]),
      }),
    () =>
      installation.command('DeleteConnection', {
        id: random.next() < 0.2 ? any([...sources, ...destinations]) : '',
      }),
  ];
  for (let n = 0; n < count; n += 10)
    await Promise.allSettled(Array.from({ length: 10 }, async () => random.pick(changes)?.()));
};

const open = async (options: InstallationOptions = {}): Promise<void> => {
  installation = await Installation.open(options);
  database = await connectDatabase(installation.databaseUrl, () => undefined);
};

const close = async (): Promise<void> => {
  await database.destroy();
  await installation.close();
};

const found = async (log: MessageLog = installation.log): Promise<string[]> => {
  const { differences } = await verifyAudit(database, log, { publishTimeoutMs: 200 });
  return differences.map(({ where, what }) => `${where} ${what}`);
};

const sql = (text: string, ...values: unknown[]): Promise<unknown> =>
  installation.pool.query(text, values);

const onKafka: InstallationOptions = {
  openLog: () =>
    new PrefixedLog(
      new KafkaMessageLog({ brokers: testBrokers(), clientId: 'audit' }),
      `${newId()}.`,
    ),
};

// That both logs are alike is shown by the contract of logs.
describe.each<[number, string, InstallationOptions]>([
  [1, 'the embedded log', {}],
  ...(IS_LONG
    ? [
        [2, 'the embedded log', {}] as [number, string, InstallationOptions],
        [Date.now(), 'the embedded log', {}] as [number, string, InstallationOptions],
        [3, 'Kafka', onKafka] as [number, string, InstallationOptions],
      ]
    : []),
])('after the random changes of seed %i on %s', (seed, _, log) => {
  beforeAll(() => open(log));
  afterAll(close);

  it('finds no difference, also during further changes', async () => {
    const random = new Random(seed);
    const count = IS_LONG ? 100 : 40;
    const service = await installation.start();
    await changeAtRandom(random, count);
    const changing = changeAtRandom(random, count);
    const { differences } = await verifyAudit(database, installation.log);
    expect(differences).toEqual([]);
    await changing;
    await service.published();
    const end = await verifyAudit(database, installation.log);
    expect(end.differences).toEqual([]);
    expect(end.position).toBe(await installation.newest());
    // Each time it changes at random, it creates eight objects first.
    expect(end.objects).toBeGreaterThan(16);
  });
});

describe('tampering', () => {
  const TABLES = ['facts', 'chains', 'connections', 'links', 'pipelines'];
  let source: ConnectionId;
  let destination: ConnectionId;
  let pipeline: string;
  /** Statements that undo every change of the tables. */
  let restore: string;

  /** Copies the tables. @returns statements that restore them. */
  const save = async (): Promise<string> => {
    await sql('CREATE SCHEMA saved');
    const restoring: string[] = [];
    for (const table of TABLES) {
      await sql(`CREATE TABLE saved.${table} AS TABLE penstock.${table}`);
      const { rows } = await installation.pool.query<{ columns: string }>(
        `SELECT string_agg(quote_ident(column_name), ', ') AS columns
           FROM information_schema.columns
          WHERE table_schema = 'penstock' AND table_name = $1 AND is_generated = 'NEVER'`,
        [table],
      );
      const columns = rows[0]?.columns ?? '';
      restoring.push(
        `DELETE FROM penstock.${table}`,
        `INSERT INTO penstock.${table} (${columns}) SELECT ${columns} FROM saved.${table}`,
      );
    }
    return restoring.join(';\n');
  };

  beforeAll(async () => {
    await open();
    const service = await installation.start();
    source = await installation.source();
    destination = await installation.destination({ linkedConnections: [source] });
    ({ id: pipeline } = await installation.command('CreatePipeline', aPipeline(destination)));
    await service.published();
    await installation.stop(service);
    restore = await save();
  });
  afterEach(() => sql(restore));
  afterAll(close);

  let copies = 0;
  /** The log of the installation with other content. @param change of the values of facts. */
  const copied = async (
    change: (values: readonly string[]) => readonly string[] = (values) => values,
  ): Promise<MessageLog> => {
    copies += 1;
    const copy = new PrefixedLog(installation.log, `copy-${String(copies)}.`);
    await copy.ensureTopics(
      [TOPIC.configuration, TOPIC.configurationState].map((name) => ({
        name,
        partitions: 1,
        retention: 'forever' as const,
      })),
    );
    const states = await installation.records(TOPIC.configurationState);
    await copy.append(TOPIC.configurationState, states);
    const facts = await installation.records(TOPIC.configuration);
    const values = change(facts.map(({ value }) => value ?? ''));
    await copy.append(
      TOPIC.configuration,
      values.map((value) => ({ key: 'w', value })),
    );
    return copy;
  };

  it.each<[string, string, () => string[]]>([
    [
      'a changed row',
      'UPDATE penstock.pipelines SET enabled = NOT enabled',
      () => [`penstock.pipelines ${pipeline} differs in enabled`],
    ],
    [
      'a changed state',
      `UPDATE penstock.connections SET state = (state::jsonb || '{"name":"other"}')::json WHERE id = $1`,
      () => [`penstock.connections ${source} differs in state`],
    ],
    [
      'a row that is gone',
      'DELETE FROM penstock.links',
      () => [`penstock.links ${source} ${destination} is missing`],
    ],
    [
      'a row that was put in',
      `INSERT INTO penstock.links VALUES ('x', 'y')`,
      () => ['penstock.links x y should not be there'],
    ],
    [
      'a fact with another actor',
      `UPDATE penstock.facts SET actor = 'nobody' WHERE position = 4`,
      () => [
        'penstock.facts position 4 does not match its hash',
        'penstock.facts position 4 differs in actor',
      ],
    ],
    [
      'a fact with other data',
      `UPDATE penstock.facts SET data = '{}' WHERE type = 'ConnectionLinked'`,
      () => [
        'penstock.facts position 7 does not match its hash',
        'penstock.facts position 7 differs in state',
        'penstock.facts position 7 differs in data',
      ],
    ],
    [
      'a fact that is gone',
      'DELETE FROM penstock.facts WHERE position = 4',
      () => [
        'penstock.facts position 4 is missing',
        `penstock.facts position 5 is version 2 of connection-${source}, without the one before`,
        'penstock.facts position 5 does not match its hash',
        `penstock.facts position 5 cannot be applied: EventWriteKeyCreated of connection-${source}`,
        `configuration.state connection:${source} should not be there`,
      ],
    ],
    [
      'the newest fact deleted, and everything about it adapted',
      `WITH gone AS (DELETE FROM penstock.facts WHERE position = (SELECT position FROM penstock.head)
                     RETURNING position, owner)
       UPDATE penstock.chains SET position = before.position, hash = before.hash
       FROM gone, LATERAL (SELECT position, hash FROM penstock.facts
                           WHERE owner = gone.owner AND position < gone.position ORDER BY position DESC LIMIT 1) before
       WHERE chains.owner = gone.owner`,
      () => [
        'penstock.facts position 8 is missing',
        `penstock.pipelines ${pipeline} should not be there`,
        `configuration.state pipeline:${pipeline}@1 should not be there`,
      ],
    ],
    [
      'a fact of another time',
      `UPDATE penstock.facts SET effective_time = '2020-01-01T00:00:00.000Z' WHERE position = 4`,
      () => ['penstock.facts position 4 is not in the order of times'],
    ],
    [
      'a version that was changed',
      `UPDATE penstock.facts SET version = 5 WHERE position = 4`,
      () =>
        expect.arrayContaining([
          expect.stringMatching(
            /^penstock.facts position 4 is version 5 of .*, without the one before$/,
          ),
        ]) as string[],
    ],
    [
      'the end of a chain changed',
      `UPDATE penstock.chains SET hash = 'x' WHERE owner = (SELECT owner FROM penstock.facts WHERE stream = 'connection-' || $1 LIMIT 1)`,
      () => [`penstock.chains ${installation.workspace} differs in hash`],
    ],
  ])('with %s in the database is found', async (_, text, expected) => {
    expect(await found()).toEqual([]);
    await sql(text, ...(text.includes('$1') ? [source] : []));
    expect(await found()).toEqual(expected());
  });

  it('that rewrites the chain is found with an earlier head', async () => {
    const heads = await new FactHistory(database.manager).chainHeads();
    const own = heads.get(installation.workspace);
    const remembered = { position: own?.position ?? 0, hash: own?.hash ?? '' };
    const verified = async () =>
      (await verifyAudit(database, installation.log, { heads: [remembered] })).differences;
    expect(await verified()).toEqual([]);
    await sql('UPDATE penstock.facts SET hash = $1 WHERE position = $2', '0', remembered.position);
    expect((await verified()).map(({ what }) => what)).toContain(
      'has not the hash that was remembered',
    );
  });

  it('with the compacted state is found', async () => {
    const records = await installation.records(TOPIC.configurationState);
    const own = records.find(({ key }) => key === `connection:${source}`);
    const record = JSON.parse(own?.value ?? '') as { state: object };
    const value = JSON.stringify({ ...record, state: { ...record.state, name: 'other' } });
    const log = await copied();
    await log.append(TOPIC.configurationState, [
      { key: `connection:${source}`, value },
      { key: `connection:${destination}`, value: null },
    ]);
    expect(await found(log)).toEqual([
      `${TOPIC.configurationState} connection:${source} differs in state`,
      `${TOPIC.configurationState} connection:${destination} has not its newest state`,
      `${TOPIC.configurationState} connection:${source} has not its newest state`,
    ]);
  });

  it('names what is no state and no data key', async () => {
    const foreign = [
      { key: `connection:${source}`, value: '{' },
      { key: `connection:${source}`, value: 'null' },
      { key: `data-key:${installation.workspace}`, value: '{"dataKey":7}' },
    ];
    const log = await copied();
    const [end = 0] = await log.endOffsets(TOPIC.configurationState);
    await log.append(TOPIC.configurationState, foreign);
    const whats = ['a state', 'a state', 'a data key'];
    expect(await found(log)).toEqual(
      whats.map((what, nth) => `configuration.state offset ${String(end + nth)} is not ${what}`),
    );
  });

  it('names what is no state under a key that no database stores', async () => {
    const differences = new Differences();
    const facts = new StoredFacts(database.manager, 100);
    const value = JSON.stringify({ position: 1, state: { kind: 'a', id: 'b' } });
    const foreign = { partition: 0, offset: 7, timestampMs: 0, key: 'a\0b', value };
    await new StateChecks(facts, new PositionSet(), differences).take([foreign]);
    expect(differences.named).toEqual([
      { where: 'configuration.state offset 7', what: 'is not a state' },
    ]);
  });

  type Change = Parameters<typeof copied>[0];

  it.each<[string, Change, readonly string[]]>([
    ['accepted with repetitions', (all) => [...all, ...all.slice(2)], []],
    [
      'rejected with a gap',
      (all) => all.filter((_, index) => index !== 1),
      expect.arrayContaining(['position 2 is missing']) as string[],
    ],
    [
      'rejected with missing facts at its end',
      (all) => all.slice(0, -1),
      ['position 8 is not published'],
    ],
    [
      'rejected with two facts swapped',
      ([one = '', two = '', three = '', ...rest]) => [one, three, two, ...rest],
      ['position 2 is missing', 'position 2 comes after position 3'],
    ],
    [
      'rejected with a repetition with other content',
      (all) => [...all, (all[1] ?? '').replace('"actor":"', '"actor":"not-')],
      ['position 2 is there twice, with different content'],
    ],
  ])('of the order of the topic is %s', async (_, change, expected) => {
    const differences = await found(await copied(change));
    const ofFacts = differences.filter((each) => each.startsWith('configuration position'));
    expect(ofFacts.map((each) => each.slice('configuration '.length))).toEqual(expected);
  });
});
