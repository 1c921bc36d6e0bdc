import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Program } from '../wire/messages';

/** A job for a thread, sent by the supervisor. Records are packed texts. */
export type Job =
  | { readonly kind: 'load'; readonly program: Program }
  | { readonly kind: 'call'; readonly records: Uint8Array<ArrayBuffer> };

/** Receives messages in a thread that never returns to its event loop. */
export class Inbox {
  private taken = 0;

  /** @param signal counter of all messages sent so far. */
  constructor(
    private readonly port: MessagePort,
    private readonly signal: Int32Array<SharedArrayBuffer>,
  ) {}

  /** Blocks until there is a job. */
  next(): Job {
    for (;;) {
      const received: { message: Job } | undefined = receiveMessageOnPort(this.port);
      if (received) {
        this.taken += 1;
        return received.message;
      }
      Atomics.wait(this.signal, 0, this.taken);
    }
  }
}
