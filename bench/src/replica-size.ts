import { randomBytes } from 'node:crypto';
import {
  type ConfigurationState,
  type ConnectionId,
  type OrganizationId,
  type PipelineId,
  stateKey,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { prepareGateway, type StartedGateway } from './installations';
import { peakMiB, proportionalMiB } from './process-usage';
import { cells, heading, print } from './table';

const PIPELINES = 10_000;
const BYTES = 10_000;
const AT_A_TIME = 50;

const ORGANIZATION = 'organization0001' as OrganizationId;
const WORKSPACE = 'workspace0000001' as WorkspaceId;
const DESTINATION = 'destination00001' as ConnectionId;

const SURROUNDINGS: readonly ConfigurationState[] = [
  { kind: 'organization', id: ORGANIZATION, name: 'Acme', enabled: true, apiKeys: [] },
  {
    kind: 'workspace',
    id: WORKSPACE,
    organization: ORGANIZATION,
    name: 'Main',
    version: 1,
    deleted: false,
  },
  {
    kind: 'connection',
    id: DESTINATION,
    workspace: WORKSPACE,
    name: 'A destination',
    connector: 'http',
    connectorType: 'Application',
    role: 'Destination',
    sendingMode: 'Server',
    settings: 'sealed',
    version: 1,
    deleted: false,
    writeKeys: [],
    links: [],
  },
];

/** A pipeline with values that do not compress below half of their size. */
const pipeline = (nth: number): ConfigurationState => ({
  kind: 'pipeline',
  id: `pipeline${String(nth).padStart(8, '0')}` as PipelineId,
  workspace: WORKSPACE,
  connection: DESTINATION,
  target: 'Event',
  eventType: 'send_values',
  name: `Pipeline ${nth}`,
  enabled: true,
  filter: JSON.stringify({
    logical: 'and',
    conditions: [
      { property: 'event', operator: 'is', values: [randomBytes(BYTES / 2).toString('hex')] },
    ],
  }),
  transformation: null,
  outSchema: null,
  version: 1,
  deleted: false,
});

let position = 0;

const publish = async (log: MessageLog, states: readonly ConfigurationState[]): Promise<void> => {
  const messages = states.map((state) => {
    position += 1;
    return { key: stateKey(state), value: JSON.stringify({ position, state }) };
  });
  await log.append(TOPIC.configurationState, messages);
};

const row = (title: string, { pid, readyMs }: StartedGateway): string =>
  cells(title, readyMs / 1_000, proportionalMiB(pid), peakMiB(pid));

/** Measures memory and start time of a gateway with many large pipelines. */
export const measureReplica = async (): Promise<void> => {
  const { log, start, stop } = await prepareGateway();
  const empty = await start();
  print(heading('one gateway', 'ready after s', 'MiB', 'MiB at most'));
  print(row('empty', empty));
  await empty.stop();
  await publish(log, SURROUNDINGS);
  for (let nth = 0; nth < PIPELINES; nth += AT_A_TIME)
    await publish(
      log,
      Array.from({ length: AT_A_TIME }, (_, more) => pipeline(nth + more)),
    );
  const full = await start();
  print(row(`${PIPELINES} pipelines of ${BYTES} bytes`, full));
  await full.stop();
  await stop();
};
