import { startTestKafka } from './test-kafka';
import { startTestLender } from './test-lender';
import { type TestServer, startTestPostgres } from './test-postgres';

/** What each variable of the environment holds the address of. */
const STARTS = {
  TEST_DATABASE_URL: startTestPostgres,
  TEST_KAFKA_BROKERS: startTestKafka,
  TEST_SERVERS_URL: startTestLender,
};

let running: readonly TestServer[] = [];

/**
 * Starts the servers that nearly every spec uses, and what starts the others when they are asked for. Sets their addresses
 * in the environment, which jest's workers inherit. Servers whose address is set already are those of a run of several
 * projects, which stops them too.
 */
export const startTestServers = async (): Promise<void> => {
  const started: TestServer[] = [];
  const starts = await Promise.allSettled(
    Object.entries(STARTS).map(async ([variable, start]) => {
      if (process.env[variable]) return;
      const server = await start();
      started.push(server);
      process.env[variable] = server.address;
    }),
  );
  running = started;
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed === undefined) return;
  await stopTestServers();
  throw failed.reason;
};

export const stopTestServers = async (): Promise<void> => {
  await Promise.all(running.map((server) => server.stop()));
  running = [];
};
