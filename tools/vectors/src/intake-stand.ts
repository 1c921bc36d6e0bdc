import { createApiGateway } from '@penstock/api-gateway';
import { createConnectors } from '@penstock/connectors';
import {
  PARTITIONS,
  readAcceptedEvent,
  type StateRecord,
  stateKey,
  TOPIC,
  topics,
} from '@penstock/contracts';
import { type MessageLog, PostgresMessageLog } from '@penstock/messaging';
import { createLogger, Health } from '@penstock/runtime';
import { createWarehouses } from '@penstock/warehouses';
import { Registry } from 'prom-client';
import { type Answer, post, type Post } from './post';
import { connectionState, newSources, SECRETS, type Source } from './sources';

/** The answer to a request, and the texts of the events accepted from it, in order. */
interface Reception extends Answer {
  readonly events: readonly string[];
}

/** The gateway behind real HTTP, over a log in a database. */
export interface IntakeStand {
  /** Sources by the names that the cases use. */
  readonly sources: Readonly<Record<string, Source>>;
  /** Sends one request. Requests must not overlap. */
  send(submission: Post): Promise<Reception>;
  stop(): Promise<void>;
}

const configure = async (log: MessageLog, sources: readonly Source[]): Promise<void> => {
  for (const [index, state] of sources.map(connectionState).entries()) {
    const record: StateRecord = { position: index + 1, state };
    const value = JSON.stringify(record);
    await log.append(TOPIC.configurationState, [{ key: stateKey(state), value }]);
  }
};

const startGateway = (log: MessageLog, peer: string) =>
  createApiGateway({
    config: { PENSTOCK_HOST: '127.0.0.1', PENSTOCK_PORT: 0, PENSTOCK_TRUSTED_PROXIES: [] },
    log,
    connectors: createConnectors({}),
    secrets: SECRETS,
    warehouses: createWarehouses({ allow: [] }),
    logger: createLogger({ service: 'vectors', LOG_LEVEL: 'silent', LOG_FORMAT: 'json' }),
    health: new Health(),
    registry: new Registry(),
    dummyStore: {
      list: () => Promise.resolve([]),
      userCounts: () => Promise.resolve({ users: 0, created: 0, updated: 0 }),
    },
    peerAddress: () => peer,
  });

/**
 * Starts intake with a source of each name that the cases use.
 *
 * @param databaseUrl of an empty database.
 * @param peer the client address of every request.
 */
export const startIntakeStand = async (databaseUrl: string, peer: string): Promise<IntakeStand> => {
  const log = new PostgresMessageLog({ connection: { connectionString: databaseUrl } });
  const sources = newSources();
  await log.ensureTopics(topics({ ...PARTITIONS.embedded, events: 1 }));
  await configure(log, Object.values(sources));
  const gateway = await startGateway(log, peer);
  let accepted: string[] = [];
  const reader = await log.follow({
    topic: TOPIC.events,
    onBatch: (_, records) => {
      accepted.push(...records.map(({ value }) => readAcceptedEvent(value ?? '').eventText));
      return Promise.resolve();
    },
  });
  return {
    sources,
    send: async ({ url, headers, body }) => {
      accepted = [];
      const answer = await post({ url: gateway.address + url, headers, body });
      await reader.caughtUp();
      return { ...answer, events: accepted };
    },
    stop: async () => {
      await reader.stop();
      await gateway.close();
      await log.close();
    },
  };
};
