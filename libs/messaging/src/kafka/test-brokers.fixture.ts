import { KafkaMessageLog, type KafkaMessageLogOptions } from './kafka-message-log';

/**
 * Returns the brokers that the test run has started.
 *
 * @throws Error when there are none: a skipped test would prove nothing.
 */
export const testBrokers = (): string[] => {
  const brokers = process.env['TEST_KAFKA_BROKERS'];
  if (!brokers) throw new Error('TEST_KAFKA_BROKERS names no brokers: run the integration project');
  return brokers.split(',');
};

/** Opens a log on the test's brokers; child processes of tests call it too. */
export const openLog = (
  options: Partial<KafkaMessageLogOptions> = {},
): Promise<KafkaMessageLog> => {
  // The least that brokers accept, for a process that is killed: its group waits for it as long as that.
  const sessionMs = process.env['TEST_SESSION_MS'];
  const session = sessionMs === undefined ? {} : { sessionTimeoutMs: Number(sessionMs) };
  const brokers = testBrokers();
  return Promise.resolve(
    new KafkaMessageLog({ brokers, clientId: 'test', ...session, ...options }),
  );
};
