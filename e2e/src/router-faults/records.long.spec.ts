import {
  writeAcceptedEvent,
  type ConnectionId,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import { type MessageLog, type NewMessage, partitionOf, type Position } from '@penstock/messaging';
import { ApiClient } from '../harness/api-client';
import { showingOutput } from '../harness/installation';
import { SeveralRouters } from '../harness/several-routers';
import { Load } from './load';
import { formsOf } from './sizes';

jest.setTimeout(240_000);

const EVENTS = 200;

/** Values that no service writes to any topic. */
const FOREIGN = ['{', 'null', '7', '[]', '{}', '{"form":1}', '{"position":"1","state":{"kind":7}}'];

const AUDIT_VERIFY = 'pipeline-service/dist/audit-verify-main.js';

/** Records of accepted events that no gateway writes. */
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

describe.each(
  formsOf({ form: 'PostgreSQL', brokers: 0 as const }, { form: 'Kafka', brokers: 1 as const }),
)('a record on $form that cannot be read', ({ brokers }) => {
  let installation: SeveralRouters;
  let log: MessageLog;
  let load: Load;

  beforeAll(async () => {
    installation = await SeveralRouters.start({ pipelineServices: 2, brokers });
    log = installation.openLog();
    load = await Load.open(installation, { eventsPerSecond: 400 });
  });

  afterAll(async () => {
    await log.close();
    await installation.destroy();
    await load.close();
  });

  /** Messages with each of the values for each partition of a topic, each with a key of its own: none is compacted away. */
  const messages = async (
    topic: string,
    values: readonly (string | null)[],
  ): Promise<NewMessage[]> => {
    const partitions = await log.partitionsOf(topic);
    const left = Array.from({ length: partitions }, () => [...values]);
    const found: NewMessage[] = [];
    for (let nth = 0; found.length < partitions * values.length; nth += 1) {
      const key = `key-${String(nth)}`;
      const value = left[partitionOf(key, partitions)]?.shift();
      if (value !== undefined) found.push({ key, value });
    }
    return found;
  };

  it(
    'does not prevent the delivery of its neighbours',
    showingOutput(
      () => installation,
      async () => {
        const source = load.fanOut.sources[0]?.id ?? '';
        await Promise.all(installation.routers.map((router) => router.stop()));
        await load.sender.send(EVENTS);
        await log.append(TOPIC.events, await messages(TOPIC.events, records(source)));
        await load.sender.send(EVENTS);
        await Promise.all(installation.routers.map((router) => router.start()));
        expect(await load.wrong()).toEqual([]);
        expect(load.fanOut.ledger.repeated).toBe(0);
      },
    ),
  );

  it(
    'stops no service on any topic, neither one that runs nor one that starts',
    showingOutput(
      () => installation,
      async () => {
        const api = new ApiClient(installation.address, installation.apiKey);
        const change = (name: string): Promise<unknown> =>
          api.call('PUT', '/v1/workspaces/current', { name });
        await change('Before');
        const positions = new Map<string, readonly Position[]>();
        for (const topic of Object.values(TOPIC).filter((name) => name !== TOPIC.installation))
          positions.set(topic, await log.append(topic, await messages(topic, FOREIGN)));
        await change('While it runs');
        await load.sender.send(EVENTS);
        for (const service of installation.services) {
          await service.stop();
          await service.start();
        }
        await change('After a start');
        await load.sender.send(EVENTS);
        expect(await load.wrong()).toEqual([]);
        const { exitCode, output } = await installation.configuration.run(AUDIT_VERIFY);
        for (const { offset } of positions.get(TOPIC.configuration) ?? [])
          expect(output).toContain(`configuration offset ${String(offset)} is not a fact`);
        for (const { offset } of positions.get(TOPIC.configurationState) ?? [])
          expect(output).toContain(`configuration.state offset ${String(offset)} is not a state`);
        expect(exitCode).toBe(1);
      },
    ),
  );
});
