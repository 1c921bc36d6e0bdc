import type { ServiceProcess } from './service-process';

/** How something is away. */
export type Outage = 'frozen' | 'gone';

/** Penstock as an operator has it, with what it needs, made for one spec file. */
export interface Installation {
  /** Of the gateway. */
  readonly address: string;
  /** Of scope `admin`. */
  readonly apiKey: string;
  /** Holds what the processes write, beside the database. */
  readonly folder: string;
  /** Of the database, as its owner. */
  readonly databaseUrl: string;
  /** Of Kafka; none where the log is in the database. */
  readonly brokers: readonly string[];
  readonly services: readonly ServiceProcess[];
  /** The one that changes the configuration. */
  readonly configuration: ServiceProcess;
  /** The services that an event passes: they may die at any moment without losing one. */
  readonly onTheWay: readonly ServiceProcess[];
  /** Ends the log's server and has it come back at once. */
  restartLog(): Promise<void>;
  /** Takes the log away: what needs it fails or hangs. */
  stopLog(): Promise<void>;
  /** Brings the log back if it is away. */
  resumeLog(): Promise<void>;
  /** Takes the database away: connections stay and nothing answers, or, where it is no part of the log, all end. */
  stopDatabase(how?: Outage): Promise<void>;
  /** Brings it back if it is away. */
  resumeDatabase(): Promise<void>;
  /** Ends everything that was started for it and removes its folders. */
  destroy(): Promise<void>;
}

/** A test that shows what the processes have printed when it fails. */
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

/** Starts services at the same time; when one does not come up, shows why and ends everything. */
export const startAll = async (installation: Installation): Promise<void> => {
  try {
    await Promise.all(installation.services.map((service) => service.start()));
  } catch (error) {
    for (const service of installation.services) process.stderr.write(service.outputTail);
    await installation.destroy();
    throw error;
  }
};
