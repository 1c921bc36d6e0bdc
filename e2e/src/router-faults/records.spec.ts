import {
  writeAcceptedEvent,
  type ConnectionId,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import { type MessageLog, type NewMessage, partitionOf } from '@penstock/messaging';
import { showingOutput } from '../harness/installation';
import { SeveralRouters } from '../harness/several-routers';
import { healthy } from './behaviours';
import { Load } from './load';
import type { Plan } from './plan';

jest.setTimeout(180_000);

const EVENTS = 200;

const PLAN: Plan = {
  sources: [[0]],
  destinations: [{ name: 'healthy', batchSize: 10, usual: healthy(), troubles: [] }],
  pipelines: [{ name: 'goes', destination: 0, transformation: 'mapping' }],
};

/** Records that no gateway writes. */
const records = (source: string): readonly (string | null)[] => {
  const event = writeAcceptedEvent({
    workspace: 'workspace' as WorkspaceId,
    source: source as ConnectionId,
    messageId: 'unreadable',
    seen: 1,
    integrations: null,
    digest: 'digest',
    eventText: '{"type":"track"',
  });
  const [, ...head] = JSON.parse(event.slice(0, event.indexOf('\n'))) as unknown[];
  return [
    'no event at all',
    '',
    null,
    '[]\n{}',
    '{"form":1}\n{}',
    event,
    event.replace('"digest"', '7'),
    event.replace('null', '"all"'),
    event.replace(',1,', ',"1",'),
    `${JSON.stringify([1, ...head.map(() => null)])}\n{}`,
  ];
};

describe.each([
  { form: 'PostgreSQL', brokers: 0 },
  { form: 'Kafka', brokers: 1 },
] as const)('a record on $form that cannot be read', ({ brokers }) => {
  let installation: SeveralRouters;
  let log: MessageLog;
  let load: Load;

  beforeAll(async () => {
    installation = await SeveralRouters.start({ gateways: 1, routers: 1, brokers });
    log = installation.openLog();
    load = await Load.open(installation, { eventsPerSecond: 1_000 }, PLAN);
  });

  afterAll(async () => {
    await log.close();
    await installation.destroy();
    await load.close();
  });

  /** Messages with each of the values for each partition. */
  const messages = async (values: readonly (string | null)[]): Promise<NewMessage[]> => {
    const partitions = await log.partitionsOf(TOPIC.events);
    const keys = new Map<number, string>();
    for (let nth = 0; keys.size < partitions; nth += 1) {
      const key = `key-${String(nth)}`;
      keys.set(partitionOf(key, partitions), key);
    }
    return [...keys.values()].flatMap((key) => values.map((value) => ({ key, value })));
  };

  it(
    'does not prevent the delivery of its neighbours',
    showingOutput(
      () => installation,
      async () => {
        const [router] = installation.routers;
        const source = load.fanOut.sources[0]?.id ?? '';
        await router?.stop();
        await load.sender.send(EVENTS);
        await log.append(TOPIC.events, await messages(records(source)));
        await load.sender.send(EVENTS);
        await router?.start();
        expect(await load.wrong()).toEqual([]);
        expect(load.fanOut.ledger.repeated).toBe(0);
      },
    ),
  );
});
