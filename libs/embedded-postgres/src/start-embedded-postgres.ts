import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { chooseAccount } from './account';
import { type RunningServer, findRunningServer } from './adopt';
import { prepareBinaries } from './binaries';
import { openCluster } from './cluster';
import { ensureDatabase, socketUrlOf, urlOf } from './connection';
import type { EmbeddedPostgresError } from './embedded-postgres-error';
import { lockFolder } from './folder-lock';
import { clusterIn, findHome, makeFolder, settleHome } from './home';
import { launchServer } from './launch';
import { findNativePackage } from './native-package';
import { stopServer } from './server';
import { socketDirectoryOf } from './server-socket';
import type { ServerSettings } from './settings';
import { Supervisor } from './supervisor';

/** Where an embedded server keeps its data, and where it listens. */
export interface EmbeddedPostgresOptions {
  /** Created when missing. Holds the cluster, its log and the lock; the caller may keep files of its own in it. */
  readonly dataDir: string;
  /** Default: any free one. A server that is adopted keeps the port it has. */
  readonly port?: number;
  /**
   * Settings of PostgreSQL that replace the usual ones, for servers whose data nobody needs after them. A server that is
   * adopted keeps the settings it has.
   */
  readonly settings?: ServerSettings;
  /** Receives messages for the operator, such as that the data had to be stored elsewhere. Default: standard error. */
  readonly notice?: (text: string) => void;
  /**
   * Where it is given, a server that ends by itself is started again, on the same port. The third time within ten minutes
   * it is not, and this is called. Default: nobody watches the server.
   */
  readonly onLost?: (error: EmbeddedPostgresError) => void;
}

/** A running embedded server. */
export interface EmbeddedPostgres {
  /**
   * URL of the database `penstock` with the superuser's password, reachable from this machine only. It names the port
   * and, where there is one, the directory of the server's socket.
   */
  readonly url: string;
  readonly port: number;
  /** Process id of the server that runs now. */
  readonly pid: number;
  /** Whether the server was already running because the process that started it was killed. */
  readonly adopted: boolean;
  /**
   * Stops the server and releases the folder; resolves when everything is on disk. Further calls return the promise of
   * the first.
   */
  stop(): Promise<void>;
}

const toStandardError = (text: string): void => void process.stderr.write(`${text}\n`);

interface Found {
  readonly server: RunningServer;
  readonly launch: (port: number) => Promise<RunningServer>;
  readonly password: string;
  readonly url: string;
  readonly adopted: boolean;
}

/** Returns the URL of a running server: through its socket where it has one, else through its port. */
export const urlOfRunning = async (
  port: number,
  password: string,
  clusterDir: string,
): Promise<string> => {
  const directory = await socketDirectoryOf(clusterDir, port);
  return directory === undefined ? urlOf(port, password) : socketUrlOf(port, password, directory);
};

const findOrLaunch = async (
  dataDir: string,
  { port, settings, notice = toStandardError }: EmbeddedPostgresOptions,
): Promise<Found> => {
  const native = findNativePackage(process.platform, process.arch);
  const account = await chooseAccount(clusterIn(await findHome(dataDir)), dataDir);
  const home = account ? await settleHome(dataDir, account, notice) : await findHome(dataDir);
  const binaries = await prepareBinaries(native, home, account);
  const password = await openCluster(binaries, native.major, home, account);
  const find = () => findRunningServer(clusterIn(home), password);
  const start = (on: number | undefined) => launchServer(binaries, { home, account, settings }, on);
  const running = await find();
  const server = running ?? (await start(port));
  const url = await urlOfRunning(server.port, password, clusterIn(home));
  const launch = async (on: number) => (await find()) ?? (await start(on));
  return { server, launch, password, url, adopted: running !== undefined };
};

/**
 * Starts the PostgreSQL of a data folder, or adopts the one that a killed process left running in it.
 *
 * The server has a process group of its own: it outlives this process unless {@link EmbeddedPostgres.stop} is called.
 *
 * @throws EmbeddedPostgresError whose code and message name what to change.
 */
export const startEmbeddedPostgres = async (
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> => {
  await makeFolder(resolve(options.dataDir));
  const dataDir = await realpath(options.dataDir);
  const release = await lockFolder(dataDir);
  let started: RunningServer | undefined;
  try {
    const { server, launch, password, url, adopted } = await findOrLaunch(dataDir, options);
    started = server;
    await ensureDatabase(server.port, password);
    const { notice = toStandardError, onLost } = options;
    const supervisor = onLost && new Supervisor(server, { launch, notice, onLost });
    const current = () => supervisor?.current ?? server;
    const end = async (): Promise<void> => {
      try {
        await supervisor?.stop();
        await stopServer(current().identity);
      } finally {
        await release();
      }
    };
    let stopped: Promise<void> | undefined;
    return {
      url,
      port: server.port,
      get pid() {
        return current().identity.pid;
      },
      adopted,
      stop: () => (stopped ??= end()),
    };
  } catch (error) {
    if (started) await stopServer(started.identity).catch(() => undefined);
    await release();
    throw error;
  }
};
