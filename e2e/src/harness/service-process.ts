import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { watchOver } from '@penstock/test-servers';
import { until } from './until';

const ROOT = resolve(__dirname, '..', '..', '..');

/** As `npm start` and the image do. */
const NODE_FLAGS = [
  '--max-semi-space-size=32',
  '--heap-growing-percent=100',
  '--v8-pool-size=1',
] as const;

const START_TIMEOUT_MS = 300_000;

/** A service limits its own shutdown to 25 s. */
const STOP_TIMEOUT_MS = 30_000;

const SHOWN_OUTPUT = 6_000;

export interface ServiceProcessOptions {
  /** Folder below `services`. */
  readonly service: string;
  /** A folder of this process: its working directory and its output. */
  readonly folder: string;
  /** A folder that the watchdog removes when the test process dies; default: {@link folder}. */
  readonly scratch?: string;
  readonly opsPort: number;
  readonly env: Readonly<Record<string, string>>;
  /** The program that is started, with its arguments; default: node with the service as it was built here. */
  readonly command?: readonly [program: string, ...args: string[]];
  /** Default: {@link folder}. */
  readonly workingDirectory?: string;
}

/** How a process ended: its exit code, or the signal that ended it. */
export type Ending = number | NodeJS.Signals | null;

/** What a program that has ended left. */
interface Ended {
  readonly exitCode: number;
  readonly output: string;
}

/** One service as it runs in production: a process that can be stopped, killed and restarted. */
export class ServiceProcess {
  readonly name: string;
  private child: ChildProcess | undefined;
  private ended: Promise<Ending> = Promise.resolve(null);

  constructor(private readonly options: ServiceProcessOptions) {
    this.name = options.service;
    mkdirSync(options.folder, { recursive: true });
  }

  /** URL of its health checks and metrics. */
  get opsAddress(): string {
    return `http://127.0.0.1:${String(this.options.opsPort)}`;
  }

  /** Undefined while it is not running. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Its output so far, of all starts. */
  get output(): string {
    try {
      return readFileSync(this.outputFile, 'utf8');
    } catch {
      return '';
    }
  }

  /** The end of {@link output} under a heading. */
  get outputTail(): string {
    return `── ${this.name}\n${this.output.slice(-SHOWN_OUTPUT)}\n`;
  }

  /** Starts the process. Resolves when it reports that it is ready. */
  async start(): Promise<void> {
    this.launch();
    await until(`${this.name} is ready`, () => this.isReady(), START_TIMEOUT_MS);
  }

  /** Stops it with SIGTERM. */
  stop(): Promise<Ending> {
    return this.end('SIGTERM');
  }

  /** Sends SIGINT to the whole process group, as Ctrl-C in a terminal does. */
  interrupt(): Promise<Ending> {
    return this.end('SIGINT');
  }

  /** Ends it with SIGKILL. */
  kill9(): Promise<Ending> {
    return this.end('SIGKILL');
  }

  /**
   * Runs a program of another service in the same environment, to its end.
   *
   * @param program below `services`.
   * @param others variables that override the environment.
   */
  run(program: string, others: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.runCommand([process.execPath, join(ROOT, 'services', program)], others);
  }

  /** Runs any command as {@link run} does. */
  async runCommand(
    [command, ...args]: readonly [string, ...string[]],
    others: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const { folder, workingDirectory = folder, env } = this.options;
    const child = spawn(command, args, {
      cwd: workingDirectory,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env, ...others },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { exitCode: code ?? -1, output };
  }

  private get outputFile(): string {
    return join(this.options.folder, 'output.log');
  }

  private launch(): void {
    if (this.child) throw new Error(`${this.name} is running`);
    const { service, folder, scratch = folder, workingDirectory = folder, env } = this.options;
    const output = openSync(this.outputFile, 'a');
    const main = join(ROOT, 'services', service, 'dist', 'main.js');
    const built = [process.execPath, ...NODE_FLAGS, main] as const;
    const [program, ...args] = this.options.command ?? built;
    const child = spawn(program, args, {
      cwd: workingDirectory,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const callOff = watchOver(child.pid ?? 0, scratch);
    this.child = child;
    this.ended = once(child, 'exit').then(([code, signal]) => {
      this.child = undefined;
      callOff();
      return (code ?? signal) as Ending;
    });
  }

  private async isReady(): Promise<boolean> {
    if (!this.child) throw new Error(`${this.name} has ended`);
    try {
      const signal = AbortSignal.timeout(5_000);
      return (await fetch(`${this.opsAddress}/readyz`, { signal })).status === 200;
    } catch {
      return false;
    }
  }

  /** Waits until it has ended by itself. */
  exit(): Promise<Ending> {
    return this.ended;
  }

  /** Sends the signal to the whole process group. */
  async end(signal: NodeJS.Signals): Promise<Ending> {
    const { child } = this;
    if (child?.pid === undefined) return this.ended;
    process.kill(-child.pid, signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    const ending = await this.ended;
    clearTimeout(timer);
    return ending;
  }

  /** Ends it and removes its folder. */
  async destroy(): Promise<void> {
    await this.kill9();
    rmSync(this.options.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
