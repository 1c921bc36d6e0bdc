import { readState, readStateKey, TOPIC } from '@penstock/contracts';
import type { LogRecord, MessageLog, Reader } from '@penstock/messaging';

/** The workspaces that exist, as the configuration has it by now. */
export class Workspaces {
  private readonly ids = new Set<string>();
  private reader: Reader | undefined;

  constructor(private readonly log: MessageLog) {}

  /** Resolves when it has seen all that there were. */
  async open(): Promise<void> {
    this.reader = await this.log.follow({
      topic: TOPIC.configurationState,
      onBatch: (_, records) => {
        for (const record of records) this.take(record);
        return Promise.resolve();
      },
    });
    await this.reader.caughtUp();
  }

  /** The runs of a workspace are erased after its deletion was published, which this has seen. */
  async exists(id: string): Promise<boolean> {
    if (!this.ids.has(id)) return false;
    await this.reader?.caughtUp();
    return this.ids.has(id);
  }

  async close(): Promise<void> {
    await this.reader?.stop();
  }

  private take({ key, value }: LogRecord): void {
    const { kind, id } = readStateKey(key);
    if (kind !== 'workspace') return;
    const state = value === null ? null : readState(value)?.state;
    // Of a record that no service has written nothing follows.
    if (state === undefined) return;
    if (state?.kind === 'workspace' && !state.deleted) this.ids.add(id);
    else this.ids.delete(id);
  }
}
