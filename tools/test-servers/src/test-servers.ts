import { startTestKafka } from './test-kafka';
import { type TestServer, startTestPostgres } from './test-postgres';

let running: readonly TestServer[] = [];

/** Starts both servers and sets their addresses in the environment, which jest's workers inherit. */
export const startTestServers = async (): Promise<void> => {
  const starts = await Promise.allSettled([startTestPostgres(), startTestKafka()]);
  running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const [postgres, kafka] = starts;
  if (postgres.status === 'fulfilled' && kafka.status === 'fulfilled') {
    process.env['TEST_DATABASE_URL'] = postgres.value.address;
    process.env['TEST_KAFKA_BROKERS'] = kafka.value.address;
    return;
  }
  await stopTestServers();
  throw starts.find((start) => start.status === 'rejected')?.reason;
};

export const stopTestServers = async (): Promise<void> => {
  await Promise.all(running.map((server) => server.stop()));
  running = [];
};
