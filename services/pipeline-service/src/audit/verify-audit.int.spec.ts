import { type ConnectionId, suppressionId, TOPIC } from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { KafkaMessageLog, PrefixedLog } from '@penstock/messaging';
import { Differences, PositionSet } from '@penstock/platform';
import { newId } from '@penstock/runtime';
import { testBrokers } from '@penstock/test-servers';
import type { DataSource } from 'typeorm';
import { connectDatabase } from '../database/database';
import { aWriteKey, Installation, SECRETS } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';
import { StateChecks } from './check-states';
import { StoredFacts } from './stored-facts';
import { verifyAudit } from './verify-audit';

jest.setTimeout(60_000);

let installation: Installation;
let database: DataSource;

const pick = <T>(items: readonly T[]): T | undefined =>
  items[Math.floor(Math.random() * items.length)];

/** One of a few values, so that some are repeated. */
const user = () => ({
  id: suppressionId(
    (text) => SECRETS.keyedHash(text),
    installation.workspace,
    pick(['a', 'b']) ?? '',
  ),
});

/** Many concurrent changes of objects that others may be deleting; refusals are ignored. */
const changeAtRandom = async (count: number): Promise<void> => {
  const [sources, destinations, pipelines]: string[][] = [[], [], []];
  const changes: (() => Promise<unknown>)[] = [
    async () => sources?.push(await installation.source()),
    async () => destinations?.push(await installation.destination()),
    async () => {
      const { id } = await installation.command(
        'CreatePipeline',
        aPipeline(pick(destinations ?? []) ?? ''),
      );
      pipelines?.push(id);
    },
    () =>
      installation.command('SetPipelineStatus', {
        id: pick(pipelines ?? []) ?? '',
        enabled: Math.random() < 0.5,
      }),
    () => installation.command('DeletePipeline', { id: pick(pipelines ?? []) ?? '' }),
    () =>
      installation.command('LinkConnections', {
        source: pick(sources ?? []) ?? '',
        destination: pick(destinations ?? []) ?? '',
      }),
    () =>
      installation.command(
        pick(['SuppressUser', 'UnsuppressUser'] as const) ?? 'SuppressUser',
        user(),
      ),
    () =>
      installation.command('CreateEventWriteKey', {
        connection: pick(sources ?? []) ?? '',
        key: aWriteKey(installation.workspace),
      }),
    () =>
      installation.command('UpdateConnection', {
        id: pick(destinations ?? []) ?? '',
        name: newId(),
        settings: installation.sealed({ userCount: 7 }),
        ...pick([{}, { delivery: null }, { delivery: {} }, { delivery: { timeoutSeconds: 5 } }]),
      }),
    () =>
      installation.command('DeleteConnection', {
        id: pick(Math.random() < 0.2 ? [...(sources ?? []), ...(destinations ?? [])] : []) ?? '',
      }),
  ];
  for (let n = 0; n < count; n += 10)
    await Promise.allSettled(Array.from({ length: 10 }, async () => pick(changes)?.()));
};

const open = async (options: Parameters<typeof Installation.open>[0] = {}): Promise<void> => {
  installation = await Installation.open(options);
  database = await connectDatabase(installation.databaseUrl, () => undefined);
};

afterEach(async () => {
  await database.destroy();
  await installation.close();
});

const found = async (): Promise<string[]> => {
  const { differences } = await verifyAudit(database, installation.log);
  return differences.map(({ where, what }) => `${where} ${what}`);
};

const sql = (text: string, ...values: unknown[]): Promise<unknown> =>
  installation.pool.query(text, values);

describe('after random changes', () => {
  it('finds no difference, also during further changes', async () => {
    await open();
    await installation.start();
    await changeAtRandom(100);
    const changing = changeAtRandom(100);
    expect(await found()).toEqual([]);
    await changing;
    const { position, objects, differences } = await verifyAudit(database, installation.log);
    expect(differences).toEqual([]);
    expect(position).toBeGreaterThan(50);
    expect(objects).toBeGreaterThan(10);
  });

  it('finds no difference on Kafka', async () => {
    await open({
      openLog: () =>
        new PrefixedLog(
          new KafkaMessageLog({ brokers: testBrokers(), clientId: 'audit' }),
          `${newId()}.`,
        ),
    });
    await installation.start();
    await changeAtRandom(50);
    expect(await found()).toEqual([]);
  });
});

describe('tampering', () => {
  let source: ConnectionId;
  let destination: ConnectionId;
  let pipeline: string;

  beforeEach(async () => {
    await open();
    const service = await installation.start();
    source = await installation.source();
    destination = await installation.destination({ linkedConnections: [source] });
    ({ id: pipeline } = await installation.command('CreatePipeline', aPipeline(destination)));
    await service.published();
    await installation.stop(service);
  });

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
    await installation.log.append(TOPIC.configurationState, [
      { key: `connection:${source}`, value },
      { key: `connection:${destination}`, value: null },
    ]);
    const differences = await found();
    expect(differences).toEqual([
      `${TOPIC.configurationState} connection:${source} differs in state`,
      `${TOPIC.configurationState} connection:${destination} has not its newest state`,
      `${TOPIC.configurationState} connection:${source} has not its newest state`,
    ]);
  });
});

it('names what is no state and no data key', async () => {
  await open();
  const service = await installation.start();
  const source = await installation.source();
  await service.published();
  const foreign = [
    { key: `connection:${source}`, value: '{' },
    { key: `connection:${source}`, value: 'null' },
    { key: `data-key:${installation.workspace}`, value: '{"dataKey":7}' },
  ];
  const [end = 0] = await installation.log.endOffsets(TOPIC.configurationState);
  await installation.log.append(TOPIC.configurationState, foreign);
  const whats = ['a state', 'a state', 'a data key'];
  expect(await found()).toEqual(
    whats.map((what, nth) => `configuration.state offset ${String(end + nth)} is not ${what}`),
  );
});

it('names what is no state under a key that no database stores', async () => {
  await open();
  const differences = new Differences();
  const facts = new StoredFacts(database.manager, 100);
  const value = JSON.stringify({ position: 1, state: { kind: 'a', id: 'b' } });
  const foreign = { partition: 0, offset: 7, timestampMs: 0, key: 'a\0b', value };
  await new StateChecks(facts, new PositionSet(), differences).take([foreign]);
  expect(differences.named).toEqual([
    { where: 'configuration.state offset 7', what: 'is not a state' },
  ]);
});

describe('the order of the topic', () => {
  /** Publishes a changed topic for an installation whose database is untouched. */
  const rewritten = async (
    change: (values: readonly string[]) => readonly string[],
  ): Promise<string[]> => {
    await open();
    const service = await installation.start();
    await installation.source();
    await service.published();
    await installation.stop(service);
    const values = (await installation.records(TOPIC.configuration)).map(
      ({ value }) => value ?? '',
    );
    const copy = new PrefixedLog(installation.log, 'copy.');
    await copy.ensureTopics(
      [TOPIC.configuration, TOPIC.configurationState].map((name) => ({
        name,
        partitions: 1,
        retention: 'forever' as const,
      })),
    );
    const states = await installation.records(TOPIC.configurationState);
    await copy.append(TOPIC.configurationState, states);
    await copy.append(
      TOPIC.configuration,
      change(values).map((value) => ({ key: 'w', value })),
    );
    const { differences } = await verifyAudit(database, copy, { publishTimeoutMs: 200 });
    return differences
      .filter(({ where }) => where.startsWith('configuration position'))
      .map(({ where, what }) => `${where.slice('configuration '.length)} ${what}`);
  };

  it('is accepted with repetitions', async () => {
    expect(await rewritten((all) => [...all, ...all.slice(2)])).toEqual([]);
  });

  it('is rejected with a gap', async () => {
    const differences = await rewritten((all) => all.filter((_, index) => index !== 1));
    expect(differences).toContain('position 2 is missing');
  });

  it('is rejected with missing facts at its end', async () => {
    const differences = await rewritten((all) => all.slice(0, -1));
    expect(differences).toEqual(['position 5 is not published']);
  });

  it('is rejected with two facts swapped', async () => {
    const differences = await rewritten(([one = '', two = '', three = '', ...rest]) => [
      one,
      three,
      two,
      ...rest,
    ]);
    expect(differences).toEqual(['position 2 is missing', 'position 2 comes after position 3']);
  });

  it('is rejected with a repetition with other content', async () => {
    const differences = await rewritten((all) => [
      ...all,
      (all[1] ?? '').replace('"actor":"', '"actor":"not-'),
    ]);
    expect(differences).toEqual(['position 2 is there twice, with different content']);
  });
});
