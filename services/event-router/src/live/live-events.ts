import { TOPIC } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { InterestReader } from './interest-reader';
import { LiveSamples, type LiveSamplesContext } from './live-samples';

/** Samples that are not appended within this time are left out. */
const APPEND_MS = 2_000;

export interface LiveEventsContext extends Omit<LiveSamplesContext, 'append'> {
  readonly log: Pick<MessageLog, 'append' | 'follow' | 'offsetsAt'>;
}

/** The live events of this process: what is watched, and the samples of it. */
export class LiveEvents {
  readonly samples: LiveSamples;
  private readonly reader: InterestReader;

  constructor(context: LiveEventsContext) {
    const { log, clock, onError } = context;
    this.samples = new LiveSamples({
      ...context,
      append: (samples) => log.append(TOPIC.live, samples, { timeoutMs: APPEND_MS }),
    });
    this.reader = new InterestReader({ clock, log, interests: this.samples.interests, onError });
  }

  start(): void {
    this.reader.start();
  }

  /** Call it every second. */
  lookAfter(): void {
    this.samples.lookAfter();
  }

  async stop(): Promise<void> {
    this.samples.stop();
    await this.reader.stop();
  }
}
