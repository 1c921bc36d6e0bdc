import { KafkaMessageLog, type KafkaMessageLogOptions } from './kafka-message-log';

/** The brokers that the test run has started. @throws Error when it has not: a test without them proves nothing. */
export const testBrokers = (): string[] => {
  const brokers = process.env['TEST_KAFKA_BROKERS'];
  if (!brokers) throw new Error('TEST_KAFKA_BROKERS names no brokers: run the integration project');
  return brokers.split(',');
};

/** A log on the test's brokers; also what a test's child process opens. */
export const openLog = (options: Partial<KafkaMessageLogOptions> = {}): Promise<KafkaMessageLog> =>
  Promise.resolve(new KafkaMessageLog({ brokers: testBrokers(), clientId: 'test', ...options }));
