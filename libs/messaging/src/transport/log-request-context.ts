import { BaseRpcContext } from '@nestjs/microservices';
import type { LogRecord } from '../message-log';
import type { RequestMessage } from './message-format';

/** What a handler may ask for with `@Ctx()`. */
export class LogRequestContext extends BaseRpcContext<[LogRecord, RequestMessage, AbortSignal]> {
  /** The same for every repetition of one command; an event has none. */
  get commandId(): string | undefined {
    return this.args[1].id;
  }

  /** Of the handler. */
  get pattern(): string {
    return this.args[1].pattern;
  }

  get key(): string {
    return this.args[0].key;
  }

  /** Fires when whoever has sent the request does not wait for the answer any more. */
  get signal(): AbortSignal {
    return this.args[2];
  }

  /** Milliseconds since 1970 after which nobody waits for the answer; an event has none. */
  get deadlineMs(): number | undefined {
    return this.args[1].deadlineMs;
  }
}
