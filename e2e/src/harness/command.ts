import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchOver } from '@penstock/test-servers';

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A folder that the watchdog removes when the test process dies. */
  readonly scratch: string;
}

/** A program as a person runs it from a shell, with what it prints. */
export class Command {
  /** What it has printed so far, to standard output and standard error. */
  output = '';
  /** Whether it has ended, and all of its output is there. */
  hasEnded = false;
  private readonly child: ChildProcess;
  private readonly exit: Promise<number>;

  constructor(command: string, args: readonly string[], { cwd, env, scratch }: CommandOptions) {
    const child = spawn(command, args, {
      cwd,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    const callOff = watchOver(child.pid ?? 0, scratch);
    this.child = child;
    this.exit = once(child, 'close').then(([code]) => {
      callOff();
      this.hasEnded = true;
      return (code as number | null) ?? -1;
    });
  }

  /** Its lines that are not empty at the end. */
  get lines(): readonly string[] {
    return this.output.trimEnd().split('\n');
  }

  /** Resolves with its exit code, -1 after a signal. */
  ended(): Promise<number> {
    return this.exit;
  }

  /** Signals the whole process group, as Ctrl-C in a terminal does. */
  signal(name: NodeJS.Signals): void {
    try {
      process.kill(-(this.child.pid ?? 0), name);
    } catch {
      // It has ended.
    }
  }
}
