import type { MessageLog } from '@penstock/messaging';
import type { ServiceProcess } from './service-process';

/** A gateway with its URL. */
export interface Gateway {
  readonly address: string;
  readonly process: ServiceProcess;
}

/** An installation with the gateways and routers of its form, for one spec file. */
export interface RouterInstallation {
  /** URL of the first gateway. */
  readonly address: string;
  /** A key of scope `admin`. */
  readonly apiKey: string;
  /** URL of the database, as its owner. */
  readonly databaseUrl: string;
  /** Every process; the same one may be gateway and router. */
  readonly services: readonly ServiceProcess[];
  readonly gateways: readonly Gateway[];
  readonly routers: readonly ServiceProcess[];
  /** Lets runs be shown and performed, where no process does that yet. */
  startExecutor(): Promise<void>;
  /** Another client of the same log, which the caller must close. */
  openLog(): MessageLog;
  /** Freezes the database: connections stay open, nothing answers. @returns a function that continues it. */
  freezeDatabase(): () => void;
  /** Ends everything that was started for it and removes its folders. */
  destroy(): Promise<void>;
}

/** One way to run Penstock, for `describe.each`. */
export interface RouterForm {
  readonly form: string;
  /** @param env additional variables of every process. */
  readonly start: (env?: Readonly<Record<string, string>>) => Promise<RouterInstallation>;
}
