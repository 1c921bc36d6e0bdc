import {
  ConfigurationReplica,
  type ConfigurationState,
  type ConnectionId,
  HEALTH_CAUSES,
  type HealthCode,
  instant,
  type PipelineId,
} from '@penstock/contracts';
import { type Counted, countKey } from '../store/changes';
import { acquired, changesOf } from '../store/contract/changes.fixture';
import { StoreDatabase } from '../store/postgres/store-harness.fixture';
import { destinationState } from '../testing/installation.fixture';
import { pipelineState, WORKSPACE } from '../testing/pipelines.fixture';
import { AlertEvaluator } from './alert-evaluator';
import { ALERT, alertState } from '../testing/alerts.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();

const SHOP = 'shop000000000001' as ConnectionId;
const PLACE = { alert: ALERT, workspace: WORKSPACE };

const healthOf = (code: HealthCode): ConfigurationState => ({
  kind: 'health',
  subject: 'connection',
  id: SHOP,
  workspace: WORKSPACE,
  status: HEALTH_CAUSES[code].status,
  code,
  since: instant(new Date()),
  objectVersion: 1,
  version: 1,
  changedAt: [],
});

/** The configuration as several processes apply it, each as far as it has come. */
class Configurations {
  readonly replicas = [new ConfigurationReplica(), new ConfigurationReplica()] as const;
  private position = 0;

  /** Publishes states. @param replicas those that apply them now. */
  publish(states: readonly ConfigurationState[], replicas = this.replicas.slice()): void {
    for (const state of states) {
      this.position += 1;
      for (const replica of replicas) replica.apply({ position: this.position, state });
    }
  }
}

const BASE: readonly ConfigurationState[] = [
  {
    kind: 'workspace',
    id: WORKSPACE,
    organization: 'organization' as never,
    name: 'Main',
    version: 1,
    deleted: false,
  },
  destinationState('https://example.com', {}, SHOP),
];

/** Two routers with the same configuration. */
const two = async (...states: readonly ConfigurationState[]) => {
  const configurations = new Configurations();
  configurations.publish([...BASE, ...states]);
  const stores = [await database.open('one'), await database.open('other')] as const;
  const [one, other] = [0, 1].map(
    (index) => new AlertEvaluator(stores[index]!.alerts, configurations.replicas[index]!, 0),
  ) as [AlertEvaluator, AlertEvaluator];
  const changes = async () =>
    (await stores[0].alerts.list(PLACE, { limit: 1_000 })).map(({ change }) => change).reverse();
  return { configurations, stores, one, other, changes };
};

it('records each change once, however many routers evaluate at the same time', async () => {
  const { configurations, one, other, changes } = await two(alertState());
  const expected: string[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    const begins = turn % 2 === 0;
    configurations.publish([healthOf(begins ? 'DestinationFails' : '')]);
    await Promise.all([one.run(), other.run(), one.run(), other.run()]);
    await one.run();
    expected.push(begins ? 'Began' : 'Ended');
  }
  expect(await changes()).toEqual(expected);
});

it('is not misled by a router whose replica is behind', async () => {
  const { configurations, one, other, changes } = await two(alertState());
  const [ahead] = configurations.replicas;
  configurations.publish([healthOf('AccessDenied')], [ahead]);
  for (let turn = 0; turn < 5; turn += 1) {
    await one.run();
    await other.run();
  }
  expect(await changes()).toEqual(['Began']);
});

it('measures 10,000 pipelines by one statement, and tells of each that is above the threshold', async () => {
  const [count, bad] = [10_000, 7];
  const idOf = (index: number) => `pipeline${String(index).padStart(8, '0')}` as PipelineId;
  const pipelines = Array.from({ length: count }, (_, index) =>
    pipelineState({ id: idOf(index), connection: SHOP }),
  );
  const alert = alertState({ alertKind: 'deadLetterRate', threshold: 10, window: 5 });
  const { configurations, stores, changes } = await two(alert, ...pipelines);
  const grant = await acquired(stores[0]);
  const ended = (index: number, state: Counted['state'], code: string) =>
    countKey(idOf(index), { state, step: 'Finalize', code }, Date.now());
  const counts = new Map([
    ...pipelines.map((_, index) => [ended(index, 'Delivered', ''), 90] as const),
    ...Array.from({ length: bad }, (_, index) => [ended(index, 'Rejected', '400'), 10] as const),
  ]);
  await stores[0].commit([changesOf(grant, 1, { counts })]);
  const pool = database.newPool(1);
  const texts: string[] = [];
  const own = await database.open('counted', pool);
  const client = await pool.connect();
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  client.query = ((...given: [unknown]) => {
    texts.push(String(given[0]));
    return query(...given);
  }) as typeof client.query;
  client.release();
  try {
    await new AlertEvaluator(own.alerts, configurations.replicas[0], 0).run();
  } finally {
    await pool.end();
  }
  expect(texts.filter((text) => text.includes('penstock_router.counters'))).toHaveLength(1);
  expect(texts.length).toBeLessThan(15);
  expect(await changes()).toEqual(Array.from({ length: bad }, () => 'Began'));
});
