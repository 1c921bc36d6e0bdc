import type { Agent } from 'node:http';
import type { Readable } from 'node:stream';
import { types } from 'node:util';
import { codeOf } from '@penstock/egress';
import { DatabaseFault } from '../database/database-fault';

/** Its name and the version that it is tried with. It is installed only where it is wanted: it has 122 MB. */
const PACKAGE = 'snowflake-sdk';
const VERSION = '3.3.0';

/** A column of a result, as it is described. */
export interface SnowflakeColumn {
  getName(): string;
  /** In the words of the protocol, such as `fixed`. */
  getType(): string;
  getScale(): number | null;
  getPrecision(): number | null;
}

/** A column of a result. */
export interface DriverColumn extends SnowflakeColumn {
  isNullable(): boolean;
  /**
   * How the driver reads a cell of a row. It is replaced: the driver's own functions round numbers, and end the process
   * when they cannot read a value.
   */
  _getRowValue: ReadCell;
}

/** Reads a cell. @param row of the driver, with its cells as the protocol has them. */
type ReadCell = (row: { readonly values?: readonly unknown[] | null }) => string | null;

/** A statement that has been answered. */
export interface DriverStatement {
  getColumns(): readonly DriverColumn[] | undefined;
  streamRows(): Readable;
  cancel(callback: () => void): void;
}

/** One value of a bind, or rows of them. */
export type Binds = readonly (string | null)[] | readonly (readonly (string | null)[])[];

/** What a statement is run with. */
interface DriverExecution {
  readonly sqlText: string;
  readonly binds: Binds;
  readonly streamResult: boolean;
  readonly parameters: Readonly<Record<string, number>>;
  readonly complete: (error: Error | null | undefined, statement: DriverStatement) => void;
}

/** A session. */
export interface DriverConnection {
  connectAsync(callback: (error: Error | null | undefined) => void): Promise<unknown>;
  execute(execution: DriverExecution): DriverStatement;
  destroy(callback: () => void): void;
}

/** What a session is opened with. */
interface DriverOptions {
  readonly account: string;
  readonly accessUrl: string;
  readonly username: string;
  readonly password: string;
  readonly role: string;
  readonly warehouse: string;
  readonly database: string;
  readonly schema: string;
  readonly application: string;
  readonly rowMode: 'array';
  readonly resultPrefetch: number;
  readonly arrayBindingThreshold: number;
  readonly sfRetryMaxLoginRetries: number;
  readonly clientSessionKeepAlive: boolean;
  /** Makes what opens the driver's sockets. */
  readonly agentClass: (options: { readonly protocol: string }) => Agent;
}

/** What is used of the driver. Its own declarations are not needed, so that all compiles without it. */
export interface SnowflakeDriver {
  configure(options: object): void;
  createConnection(options: DriverOptions): DriverConnection;
}

const silent = (): void => undefined;

/** The driver writes a file otherwise, which may hold values of rows. */
const SILENT = { error: silent, warn: silent, info: silent, debug: silent, trace: silent };

/** It asks the addresses of clouds who they are, and loads a program, when it is loaded otherwise; and reports on settings. */
const SWITCHED_OFF = {
  SNOWFLAKE_DISABLE_PLATFORM_DETECTION: 'true',
  SNOWFLAKE_DISABLE_MINICORE: 'true',
  SF_TELEMETRY_DISABLE_CONNECTION_SHAPE: 'true',
};

const missing = (): DatabaseFault =>
  new DatabaseFault(
    'Refused',
    `the driver of Snowflake is not installed: npm install --no-save ${PACKAGE}@${VERSION}`,
  );

const load = async (name: string): Promise<SnowflakeDriver> => {
  Object.assign(process.env, SWITCHED_OFF);
  const { default: driver } = (await import(name)) as { readonly default: SnowflakeDriver };
  driver.configure({
    logLevel: 'OFF',
    ...{ customLogger: SILENT, useEnvProxy: false, disableOCSPChecks: true },
  });
  return driver;
};

let loading: Promise<SnowflakeDriver> | undefined;

/**
 * Loads the driver when it is first needed.
 *
 * @param name of another package, for specs.
 * @throws DatabaseFault Refused when it is not installed.
 */
export const snowflakeDriver = async (name = PACKAGE): Promise<SnowflakeDriver> => {
  try {
    return await (name === PACKAGE ? (loading ??= load(name)) : load(name));
  } catch (error) {
    loading = undefined;
    if (types.isNativeError(error) && codeOf(error) === 'MODULE_NOT_FOUND') throw missing();
    throw error;
  }
};
