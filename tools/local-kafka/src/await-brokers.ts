import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';

const POLL_MS = 150;

/** Usually 3 to 5 s; up to 80 s were measured for three nodes on two loaded cores. */
const READY_TIMEOUT_MS = 180_000;

/**
 * Resolves when the broker at `address` answers and lists at least `count` brokers.
 *
 * @param isRunning called before every attempt, to stop waiting for a broker that has died.
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
