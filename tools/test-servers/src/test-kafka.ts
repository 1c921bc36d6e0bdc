import { startBroker } from '../../local-kafka/src';
import type { TestServer } from './test-postgres';

/**
 * Uses the brokers of KAFKA_BROKERS if set, else starts one.
 *
 * @throws Error when that fails: tests are never skipped.
 */
export const startTestKafka = async (): Promise<TestServer> => {
  const given = process.env['KAFKA_BROKERS'];
  if (given) return { address: given, stop: () => Promise.resolve() };
  try {
    const { brokers, stop } = await startBroker();
    return { address: brokers.join(','), stop };
  } catch (cause) {
    throw new Error(
      'integration specs need Kafka: install Java 17 and Maven, or set KAFKA_BROKERS to running brokers',
      { cause },
    );
  }
};
