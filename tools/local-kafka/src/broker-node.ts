import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startJava, type JavaOptions } from './java';

/** Time after which a stop becomes a kill. */
const STOP_TIMEOUT_MS = 60_000;

/** Number of bytes at the end of the log that an error quotes. */
const LOG_TAIL = 3_000;

export interface BrokerNodeOptions extends Omit<JavaOptions, 'output'> {
  readonly port: number;
  readonly folder: string;
  /** Resolves when the broker serves; rejects when it does not in time. */
  readonly ready: (isRunning: () => boolean) => Promise<void>;
}

/** One broker: a JVM that can be stopped, killed and started again on the same port and data. */
export class BrokerNode {
  readonly port: number;
  /** Contains `server.properties`, the data, and `broker.log`. */
  readonly folder: string;
  private process: ChildProcess | undefined;

  constructor(private readonly options: BrokerNodeOptions) {
    this.port = options.port;
    this.folder = options.folder;
  }

  /** The JVM's process id; undefined while it is not running. */
  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Starts the JVM without waiting until it serves. @throws Error when it is running. */
  launch(): void {
    if (this.process) throw new Error(`the broker on port ${this.port} is running`);
    const output = openSync(join(this.folder, 'broker.log'), 'a');
    const properties = join(this.folder, 'server.properties');
    const child = startJava({ ...this.options, output }, 'kafka.Kafka', properties);
    closeSync(output);
    child.once('exit', () => (this.process = undefined));
    this.process = child;
  }

  /** Waits until it serves. @throws Error with the end of the broker's log when it does not start. */
  async ready(): Promise<void> {
    try {
      await this.options.ready(() => this.process !== undefined);
    } catch (cause) {
      const log = await readFile(join(this.folder, 'broker.log'), 'utf8').catch(() => '');
      throw new Error(
        `no broker on port ${this.port}; its log ends with:\n${log.slice(-LOG_TAIL)}`,
        {
          cause,
        },
      );
    }
  }

  /** Stops it if it runs, and starts it on the same port and data. Resolves when it serves. */
  async restart(): Promise<void> {
    await this.stop();
    this.launch();
    await this.ready();
  }

  /**
   * Stops it orderly, with leadership moved away first, or kills it after 20 s. Resolves when the process has ended.
   */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Ends it with SIGKILL. Resolves when the process has ended. */
  async kill9(): Promise<void> {
    await this.end('SIGKILL');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.process;
    if (!child) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  }
}
