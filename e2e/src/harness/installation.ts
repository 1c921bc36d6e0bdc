import type { ServiceProcess } from './service-process';

/** `frozen`: connections stay open, nothing answers; `gone`: the server has ended. */
export type Outage = 'frozen' | 'gone';

/** An installation of Penstock with its database and log, for one spec file. */
export interface Installation {
  /** URL of the gateway. */
  readonly address: string;
  /** A key of scope `admin`. */
  readonly apiKey: string;
  /** The folder for files of the processes, apart from the database. */
  readonly folder: string;
  /** URL of the database, as its owner. */
  readonly databaseUrl: string;
  /** Addresses of Kafka's brokers; empty when the log is in the database. */
  readonly brokers: readonly string[];
  readonly services: readonly ServiceProcess[];
  /** The process that changes the configuration. */
  readonly configuration: ServiceProcess;
  /** The process that performs runs and resolutions. */
  readonly executor: ServiceProcess;
  /** The services that an event passes; killing them must not lose events. */
  readonly onTheWay: readonly ServiceProcess[];
  /** Restarts the log's server. */
  restartLog(): Promise<void>;
  /** Stops the log: calls fail or hang. */
  stopLog(): Promise<void>;
  /** Makes the log available again. */
  resumeLog(): Promise<void>;
  /** Freezes the database or, where the log is not in it, ends it. */
  stopDatabase(how?: Outage): Promise<void>;
  /** Makes the database available again. */
  resumeDatabase(): Promise<void>;
  /** Ends everything that was started for it and removes its folders. */
  destroy(): Promise<void>;
}

/** Wraps a test: prints the output of the processes when it fails. */
export const showingOutput =
  (installation: () => Pick<Installation, 'services'>, test: () => Promise<void>) =>
  async (): Promise<void> => {
    try {
      await test();
    } catch (error) {
      for (const service of installation().services) process.stderr.write(service.outputTail);
      throw error;
    }
  };

/** Starts all services concurrently; when one does not start, prints its output and destroys the installation. */
export const startAll = async (installation: Installation): Promise<void> => {
  try {
    await Promise.all(installation.services.map((service) => service.start()));
  } catch (error) {
    for (const service of installation.services) process.stderr.write(service.outputTail);
    await installation.destroy();
    throw error;
  }
};
