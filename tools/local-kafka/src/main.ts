import { startBroker } from './start-cluster';

/** Starts one broker, prints its address, and runs until Ctrl-C. An optional argument is the folder for the data. */
const main = async (): Promise<void> => {
  const [folder] = process.argv.slice(2);
  const cluster = await startBroker({ isLasting: true, ...(folder !== undefined && { folder }) });
  process.stdout.write(`KAFKA_BROKERS=${cluster.brokers.join(',')}\n`);
  const stop = (): void => void cluster.stop().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
};

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
