import { readRunCommand, TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog, Subscription } from '@penstock/messaging';
import { Repeated } from '../workers/repeated';

/** The executors of an installation share the topic. */
const GROUP = 'run-executor.commands';

/** Pause before reading begins again. */
const PAUSE_MS = 1_000;

export interface RunCommandsDependencies {
  readonly log: Pick<MessageLog, 'subscribe'>;
  /** Resolves when every run is in the store that was requested up to the position of the configuration. */
  readonly takenOverUpTo: (position: number) => Promise<void>;
  /** Called when runs may have been queued. */
  readonly onQueued: () => void;
  readonly onError: (error: unknown) => void;
}

const left = (leaving: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const leave = (): void => {
      reject(new Error('the partition was given up', { cause: leaving.reason }));
    };
    if (leaving.aborted) leave();
    else leaving.addEventListener('abort', leave, { once: true });
  });

/**
 * Reads the commands of the pipeline service: one executor takes what each is about over from the configuration, and
 * claims. A command that is lost, or comes again, does no harm: every executor follows the configuration.
 */
export class RunCommands {
  /** Rejects where reading cannot begin. */
  private subscription: Promise<Subscription> | undefined;
  private readonly reading: Repeated;

  constructor(private readonly deps: RunCommandsDependencies) {
    this.reading = new Repeated(PAUSE_MS, () => this.read(), deps.onError);
  }

  start(): void {
    this.reading.start();
  }

  async stop(): Promise<void> {
    const stopping = this.reading.stop();
    // Reading may just begin: its subscription is stopped as soon as it is there.
    await this.subscription?.then(
      (subscription) => subscription.stop(),
      () => undefined,
    );
    await stopping;
  }

  /** Ends when reading has ended by itself, or is stopped. */
  private async read(): Promise<void> {
    const { log } = this.deps;
    this.subscription = log.subscribe({
      topic: TOPIC.runCommands,
      group: GROUP,
      onBatch: (_, records, leaving) => this.obey(records, leaving),
    });
    const { ended } = await this.subscription;
    const cause = await ended;
    if (cause !== undefined) throw cause;
  }

  private async obey(records: readonly LogRecord[], leaving: AbortSignal): Promise<void> {
    const commands = records.flatMap(({ value }) => readRunCommand(value) ?? []);
    const position = Math.max(0, ...commands.map((command) => command.position));
    await Promise.race([this.deps.takenOverUpTo(position), left(leaving)]);
    this.deps.onQueued();
  }
}
