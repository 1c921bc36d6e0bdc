import type { MessageLog } from '@penstock/messaging';
import type { ServiceProcess } from './service-process';

/** A gateway, and where clients reach it. */
export interface Gateway {
  readonly address: string;
  readonly process: ServiceProcess;
}

/** Penstock with as many gateways and routers as its form has, made for one spec file. */
export interface RouterInstallation {
  /** Of the first gateway. */
  readonly address: string;
  /** Of scope `admin`. */
  readonly apiKey: string;
  /** Of the database, as its owner. */
  readonly databaseUrl: string;
  /** Every process; the same one may be gateway and router. */
  readonly services: readonly ServiceProcess[];
  readonly gateways: readonly Gateway[];
  readonly routers: readonly ServiceProcess[];
  /** Another way to the same log, to be closed by the caller. */
  openLog(): MessageLog;
  /** Nothing in the database answers, connections stay. @returns lets it go on. */
  freezeDatabase(): () => void;
  /** Ends everything that was started for it and removes its folders. */
  destroy(): Promise<void>;
}

/** One way to run Penstock, for `describe.each`. */
export interface RouterForm {
  readonly form: string;
  /** @param env of every process, beside what it needs. */
  readonly start: (env?: Readonly<Record<string, string>>) => Promise<RouterInstallation>;
}
