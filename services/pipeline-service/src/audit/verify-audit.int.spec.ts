import { type ConnectionId, suppressionId, TOPIC } from '@penstock/contracts';
import { KafkaMessageLog } from '@penstock/messaging';
import { newId } from '@penstock/runtime';
import { testBrokers } from '@penstock/test-servers';
import type { DataSource } from 'typeorm';
import { connectDatabase } from '../database/database';
import { aWriteKey, Installation, SECRETS } from '../testing/installation.fixture';
import { withPrefix } from '../testing/logs.fixture';
import { aPipeline } from '../testing/pipeline.fixture';
import { verifyAudit } from './verify-audit';

jest.setTimeout(60_000);

let installation: Installation;
let database: DataSource;

const pick = <T>(items: readonly T[]): T | undefined =>
  items[Math.floor(Math.random() * items.length)];

/** One of a few, so that some come more than once. */
const user = () => ({
  id: suppressionId(
    (text) => SECRETS.keyedHash(text),
    installation.workspace,
    pick(['a', 'b']) ?? '',
  ),
});

/** Many changes at once, of objects that others may be deleting: what is refused is refused. */
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
  it('finds no difference, also while more are made', async () => {
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

  it('finds none on Kafka', async () => {
    await open({
      openLog: () =>
        withPrefix(
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
      'a fact that says another who',
      `UPDATE penstock.facts SET actor = 'nobody' WHERE position = 4`,
      () => ['penstock.facts position 4 differs in actor'],
    ],
    [
      'a fact that says something else',
      `UPDATE penstock.facts SET data = '{}' WHERE type = 'ConnectionLinked'`,
      () => ['penstock.facts position 7 differs in data'],
    ],
    [
      'a fact that is gone',
      'DELETE FROM penstock.facts WHERE position = 2',
      () => ['penstock.facts position 2 is missing'],
    ],
  ])('with %s in the database is found', async (_, text, expected) => {
    expect(await found()).toEqual([]);
    await sql(text, ...(text.includes('$1') ? [source] : []));
    expect(await found()).toEqual(expected());
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
    expect(differences).toHaveLength(2);
    expect(differences[0]).toMatch(`${TOPIC.configurationState} connection:${source} differs in`);
    expect(differences[1]).toBe(`${TOPIC.configurationState} connection:${destination} is missing`);
  });
});

describe('the order of the topic', () => {
  /** The topic as it was published, changed, in an installation whose database is untouched. */
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
    const copy = withPrefix(installation.log, 'copy.');
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
    const { differences } = await verifyAudit(database, copy, 200);
    return differences
      .filter(({ where }) => where.startsWith('configuration position'))
      .map(({ where, what }) => `${where.slice('configuration '.length)} ${what}`);
  };

  it('may have repetitions', async () => {
    expect(await rewritten((all) => [...all, ...all.slice(2)])).toEqual([]);
  });

  it('has no gap', async () => {
    const differences = await rewritten((all) => all.filter((_, index) => index !== 1));
    expect(differences).toContain('position 2 is missing');
  });

  it('has nothing missing at its end', async () => {
    const differences = await rewritten((all) => all.slice(0, -1));
    expect(differences).toEqual(['position 5 is not published']);
  });

  it('has no two swapped', async () => {
    const differences = await rewritten(([one = '', two = '', three = '', ...rest]) => [
      one,
      three,
      two,
      ...rest,
    ]);
    expect(differences).toEqual(['position 2 is missing', 'position 2 comes after position 3']);
  });

  it('has no repetition with another content', async () => {
    const differences = await rewritten((all) => [
      ...all,
      (all[1] ?? '').replace('"actor":"', '"actor":"not-'),
    ]);
    expect(differences).toEqual(['position 2 is there twice, with different content']);
  });
});
