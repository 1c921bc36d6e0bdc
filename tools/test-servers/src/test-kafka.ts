import { startBroker } from '../../local-kafka/src';
import type { TestServer } from './test-postgres';

/** The brokers of KAFKA_BROKERS where that is set, else a real one of our own. Never a skip: see the error. */
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
