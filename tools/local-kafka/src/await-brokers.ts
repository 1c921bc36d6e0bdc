import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';

const POLL_MS = 150;

/** Quiet: 3 to 5 s; three nodes on two loaded cores: 80 s were seen. */
const READY_TIMEOUT_MS = 180_000;

/**
 * Resolves once the broker at `address` answers and knows `count` brokers at least.
 *
 * @param isRunning asked before every try, so that a broker that has died is not waited for.
 */
export const awaitBrokers = async (
  address: string,
  count: number,
  isRunning: () => boolean,
): Promise<void> => {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while ((await knownBrokers(address)) < count) {
    if (!isRunning()) throw new Error('the process has ended');
    if (Date.now() > deadline) throw new Error(`not ready within ${READY_TIMEOUT_MS} ms`);
    await sleep(POLL_MS);
  }
};

const knownBrokers = async (address: string): Promise<number> => {
  const kafka = new Kafka({
    brokers: [address],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1_000,
    requestTimeout: 2_000,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    return (await admin.describeCluster()).brokers.length;
  } catch {
    return 0;
  } finally {
    await admin.disconnect();
  }
};
