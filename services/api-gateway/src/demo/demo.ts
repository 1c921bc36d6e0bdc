import type { IncomingMessage } from 'node:http';
import type { DemoTrail } from './demo-trail';
import { isFromThisMachine } from './is-from-this-machine';

/** The demo of this process. */
export class Demo {
  /**
   * @param trail undefined: there is no demo.
   * @param isForAll whether requests of other machines are answered too: they show events, and a write key, without a
   *   key.
   */
  constructor(
    readonly trail: DemoTrail | undefined,
    private readonly isForAll: boolean,
  ) {}

  /** Whether the demo, if there is one, is shown to the client that sent a request. */
  isShownTo(request: IncomingMessage): boolean {
    return this.isForAll || isFromThisMachine(request);
  }
}
